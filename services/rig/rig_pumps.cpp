// Pumps, which feed cylinders.
#include "services/rig/drive_quantities.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
const RigFields<PumpSpec>& pump_fields() {
  using S = PumpSettings;
  constexpr auto kIn = &PumpSpec::settings;
  static const RigFields<PumpSpec> kFields = {
      field("name", ItemName{}, kRequired, "unique among pumps", &PumpSpec::name),
      field("pressure", pressure(Range::kPositive), kRequired, "that it keeps as long as its flow suffices", kIn,
            &S::pressure_Pa),
      field("flow", flow(), kRequired, "the most it delivers", kIn, &S::flow_m3_per_s),
      field("volume", volume(), "2 L", "of the line behind it", kIn, &S::volume_m3),
      field("tank_pressure", pressure(Range::kNonNegative), "1 bar", "of the return", kIn, &S::tank_pressure_Pa),
      field("bulk_modulus", pressure(Range::kPositive), "1.4 GPa", "of the oil in the line, hoses included", kIn,
            &S::bulk_modulus_Pa),
  };
  return kFields;
}

void read_pumps(Fields& root, const RigScope& scope, RigSpec& spec) {
  RigNames names("pump");
  RigScope of_pumps = scope;
  of_pumps.names = &names;
  for (Fields& item : read_list(root, "pumps", kMaxPumps, "pumps")) {
    PumpSpec pump;
    read_fields(pump_fields(), item, of_pumps, pump);
    const PumpSettings& settings = pump.settings;
    if (settings.pressure_Pa > 0.0 && settings.pressure_Pa <= settings.tank_pressure_Pa) {
      item.error("pressure", "must be above the tank's " + shown(settings.tank_pressure_Pa) + " Pa, got " +
                                 shown(settings.pressure_Pa) + " Pa");
    }
    item.finish();
    spec.plant.pumps.push_back(pump);
  }
}

}  // namespace kinloop
