// What the page shows of a rig: cameras, plots, and the sections with files of their own (controls, scenarios).
#include <algorithm>

#include "services/files/motion_columns.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/panel_sections.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

template <class Spec>
void add_names(const std::vector<Spec>& specs, const std::string& prefix, std::vector<std::string>& names) {
  for (const Spec& spec : specs) names.push_back(prefix + spec.name);
}

RigNameLists lists_of(const Model* model, const PlantSpec& plant) {
  RigNameLists lists;
  add_names(plant.actuators, "", lists.actuators);
  add_names(plant.sensors, "", lists.signals);
  add_names(plant.actuators, "", lists.signals);
  add_names(plant.sensors, "sensor.", lists.plotted);
  add_names(plant.actuators, "command.", lists.plotted);
  if (model == nullptr) return lists;
  for (int k = 1; k < model->body_count(); ++k) lists.bodies.push_back(model->body_name(k));
  for (const MotionColumn& column : position_columns(*model)) lists.plotted.push_back(column.name);
  for (int i = 0; i < model->nv(); ++i) lists.plotted.push_back("u." + model->speed_name(i));
  return lists;
}

void check_camera(Fields& item, const CameraSpec& camera) {
  if (camera.from == camera.to && item.has("from") && item.has("to")) item.error("to", "is where it stands itself");
}

void read_plots(Fields& panel, const RigScope& scope, PanelSpec& out) {
  const YamlNode* list = panel.optional_sequence("plots");
  if (list == nullptr) return;
  if (list->items.size() > kMaxPlots) {
    return panel.error("plots", "at most 16, got " + std::to_string(list->items.size()));
  }
  const PlantSpec& plant = scope.rig->plant;
  const std::vector<std::string>& plotted = scope.lists->plotted;
  const bool is_sure = scope.model != nullptr && !has_unnamed(plant.actuators) && !has_unnamed(plant.sensors);
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const std::string path = panel.path_of("plots") + "[" + std::to_string(i) + "]";
    const auto signals = panel.values().texts(list->items[i], path);
    if (!signals) continue;
    for (std::size_t k = 0; k < signals->size(); ++k) {
      const std::string& name = (*signals)[k];
      const bool is_known = std::find(plotted.begin(), plotted.end(), name) != plotted.end();
      if (is_known || !is_sure) continue;
      panel.values().report(list->items[i].items[k], path + "[" + std::to_string(k) + "]",
                            no_such("signal", name, plotted));
    }
    out.plots.push_back(*signals);
  }
}

std::string plots_text(const std::vector<std::vector<std::string>>& plots, const WriteScope& /*scope*/) {
  std::string panes;
  for (const std::vector<std::string>& pane : plots) panes += (panes.empty() ? "" : ", ") + names(pane);
  return panes.empty() ? panes : "[" + panes + "]";
}

}  // namespace

const RigFields<CameraSpec>& camera_fields() {
  using S = CameraSpec;
  static const RigFields<S> kFields = {
      field("name", Text{}, kRequired, "on the page", &S::name),
      field("from", Point{Dimension::length()}, kRequired, "where it stands, m", &S::from),
      field("to", Point{Dimension::length()}, kRequired, "what it looks at, m", &S::to),
      field("follows", OneOf{"body", &RigNameLists::bodies}, derived("the world"), "a body with which both move",
            &S::follows),
  };
  return kFields;
}

const RigFields<PanelSpec>& panel_fields() {
  using S = PanelSpec;
  static const RigFields<S> kFields = {
      list<S>("drive", "drive_axis", kMaxAxes, axis_fields(), "controls, in the order of the page",
              [](const S& panel) { return panel.axes; }),
      list<S>("cameras", "camera", kMaxCameras, camera_fields(), "places to look from",
              [](const S& panel) { return panel.cameras; }),
      read_by(
          read_plots,
          field("plots",
                Special<std::vector<std::vector<std::string>>>{
                    nullptr, plots_text,
                    R"("type": "array", "maxItems": 16, "items": {"type": "array", "items": {"type": "string", )"
                    R"("minLength": 1}})"},
                derived("none"),
                "the panes of the page, each a list of signals: `sensor.NAME`, `command.NAME`, `q.JOINT`, `u.JOINT`",
                &S::plots)),
      list<S>("scenarios", "scenario", kMaxScenarios, scenario_fields(), "the instructor's buttons",
              [](const S& panel) { return panel.scenarios; }),
  };
  return kFields;
}

namespace {

void read_cameras(Fields& panel, const RigScope& scope, PanelSpec& out) {
  for (Fields& item : read_list(panel, "cameras", kMaxCameras)) {
    CameraSpec camera;
    read_fields(camera_fields(), item, scope, camera);
    check_camera(item, camera);
    item.finish();
    out.cameras.push_back(camera);
  }
}

}  // namespace

void read_panel(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::optional<Fields> panel = root.optional_child("panel");
  if (!panel) return;
  const RigNameLists lists = lists_of(scope.model, spec.plant);
  RigScope of_panel = scope;
  of_panel.lists = &lists;
  read_drive(*panel, of_panel, spec.panel);
  read_cameras(*panel, of_panel, spec.panel);
  read_fields(panel_fields(), *panel, of_panel, spec.panel);
  read_scenarios(*panel, of_panel, spec.panel);
  panel->finish();
}

}  // namespace kinloop
