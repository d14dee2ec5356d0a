// Buttons and safety chains: which device, which key or line of it, and what it is while all is well. No device is
// opened here.
#include "core/base/nearest_name.hpp"
#include "services/rig/evdev_keys.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

using InputKind = StopInputSpec::Kind;
using Contact = StopInputSpec::Contact;
using Active = StopInputSpec::Active;
using Bias = StopInputSpec::Bias;

constexpr NameTable kStopKinds("kind",
                               std::array{KindName{InputKind::kKey, "key"}, KindName{InputKind::kGpio, "gpio"}});
constexpr NameTable kContacts("contact", std::array{KindName{Contact::kNormallyOpen, "normally_open"},
                                                    KindName{Contact::kNormallyClosed, "normally_closed"}});
constexpr NameTable kActives("level", std::array{KindName{Active::kHigh, "high"}, KindName{Active::kLow, "low"}});
constexpr NameTable kBiases("bias",
                            std::array{KindName{Bias::kAsIs, "as_is"}, KindName{Bias::kPullUp, "pull_up"},
                                       KindName{Bias::kPullDown, "pull_down"}, KindName{Bias::kDisabled, "disabled"}});

/// A word of a table that has to be there.
template <auto& kTable, class Enum>
Special<Enum> required_word() {
  std::vector<std::string_view> words;
  for (const KindName<Enum>& choice : kTable.entries()) words.push_back(choice.name);
  return {[](const KeyReading& key, Enum& value) {
            value = key.fields.template choice<Enum>(key.name, kTable.entries()).value_or(value);
          },
          [](const Enum& value, const WriteScope&) { return std::string(kTable.name_of(value)); }, words_schema(words)};
}

template <auto& kTable, class Enum>
Special<Enum> optional_word() {
  Special<Enum> made = required_word<kTable, Enum>();
  made.read_value = [](const KeyReading& key, Enum& value) {
    value = key.fields.template choice_or<Enum>(key.name, kTable.entries(), value);
  };
  return made;
}

void read_key_name(const KeyReading& key, std::uint16_t& code) {
  const std::string name = key.fields.text(key.name);
  if (name.empty()) return;
  const std::optional<std::uint16_t> known = evdev_key_code(name);
  if (known) {
    code = *known;
  } else {
    key.error("there is no key " + in_quotes(name) + did_you_mean(name, evdev_key_names()));
  }
}

void read_device(const KeyReading& key, std::string& device) {
  device = key.fields.text(key.name);
  if (!device.empty() && !device.starts_with('/')) {
    key.error("expected the path of a device, such as /dev/input/event3, got " + in_quotes(device));
  }
}

bool is_gpio(const StopInputSpec& spec) { return spec.kind == InputKind::kGpio; }

}  // namespace

const RigFields<StopInputSpec>& stop_input_fields() {
  using S = StopInputSpec;
  constexpr long long kHighestLine = 65535;
  const auto is_key = [](const S& spec) { return spec.kind == InputKind::kKey; };
  static const RigFields<S> kFields = {
      field("kind", required_word<kStopKinds, InputKind>(), kRequired,
            "`key`: of an input device (evdev); `gpio`: a line of a GPIO chip", &S::kind),
      field("device",
            Special<std::string>{read_device,
                                 [](const std::string& device, const WriteScope&) { return in_double_quotes(device); },
                                 R"("type": "string", "pattern": "^/")"},
            kRequired,
            "its path: `/dev/input/event3`, better a name that stays, `/dev/input/by-id/…`; `/dev/gpiochip0`",
            &S::device),
      field("contact", required_word<kContacts, Contact>(), kRequired,
            "`normally_closed`: pressed or active while all is well, so that a cut wire stops; `normally_open`: "
            "pressed or "
            "active is a stop",
            &S::contact),
      only_if(is_key, field("key",
                            Special<std::uint16_t>{read_key_name,
                                                   [](const std::uint16_t& code, const WriteScope&) {
                                                     return in_double_quotes(evdev_key_name(code));
                                                   },
                                                   Text{}.schema()},
                            derived("required with `key`"), "its name as `evtest` shows it: `KEY_ESC`, `BTN_TRIGGER`",
                            &S::key)),
      only_if(is_gpio, field("line", Whole{0, kHighestLine}, derived("required with `gpio`"),
                             "its number on the chip, as `gpioinfo` shows it", &S::line)),
      only_if(is_gpio, field("active", optional_word<kActives, Active>(), "high",
                             "the level that counts as active: `high` or `low`", &S::active)),
      only_if(is_gpio, field("bias", optional_word<kBiases, Bias>(), "as_is",
                             "resistor of the line: `as_is`, `pull_up`, `pull_down`, `disabled`", &S::bias)),
  };
  return kFields;
}

void read_stop_inputs(Fields& root, const RigScope& scope, RigSpec& spec) {
  for (Fields& item : read_list(root, "stop_inputs", kMaxStopInputs)) {
    StopInputSpec& input = spec.stop_inputs.emplace_back();
    read_fields(stop_input_fields(), item, scope, input);
    if (is_gpio(input) && !item.has("line")) item.error("", "missing key 'line': which one of the chip");
    item.finish();
  }
}

}  // namespace kinloop
