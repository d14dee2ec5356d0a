// Field by field; scenarios become the requests that their buttons send.
#include "services/gateway/scene.hpp"
#include "services/wire/change_codec.hpp"

namespace kinloop::gateway {
namespace {

void add_axis(const DriveAxisSpec& axis, v1::Panel& panel) {
  v1::DriveAxis& out = *panel.add_axes();
  out.set_actuator(axis.actuator);
  out.set_label(axis.label.empty() ? axis.actuator : axis.label);
  out.set_up(axis.up);
  out.set_down(axis.down);
  out.set_key_up(key_code(axis.key_up));
  out.set_key_down(key_code(axis.key_down));
  out.set_gamepad_axis(axis.gamepad_axis);
  out.set_lowest(axis.lowest);
  out.set_highest(axis.highest);
  out.set_rest(axis.rest);
  out.set_holds(axis.holds);
}

void add_camera(const CameraSpec& camera, v1::Panel& panel) {
  v1::Camera& out = *panel.add_cameras();
  out.set_name(camera.name);
  add(camera.from, *out.mutable_from());
  add(camera.to, *out.mutable_to());
  out.set_follows(camera.follows);
}

void add_numbers(const Vector3& vector, google::protobuf::RepeatedField<double>& out) {
  for (int i = 0; i < 3; ++i) out.Add(vector[i]);
}

v1::ControlRequest request_of(const ScenarioAction& action) {
  v1::ControlRequest request;
  switch (action.verb) {
    case ScenarioVerb::kFault: {
      v1::InjectFaultRequest& fault = *request.mutable_inject_fault();
      fault.set_signal(action.target);
      fault.set_kind(wire::kind_of(action.fault));
      fault.set_value(action.value);
      fault.set_duration_s(action.duration_s);
      break;
    }
    case ScenarioVerb::kOverride: {
      v1::OverrideRequest& override_request = *request.mutable_override();
      override_request.set_signal(action.target);
      override_request.set_value(action.value);
      override_request.set_duration_s(action.duration_s);
      break;
    }
    case ScenarioVerb::kForce: {
      v1::ApplyForceRequest& force = *request.mutable_apply_force();
      force.set_body(action.target);
      add_numbers(action.point, *force.mutable_point());
      add_numbers(action.force, *force.mutable_force());
      force.set_duration_s(action.duration_s);
      break;
    }
    case ScenarioVerb::kParameters:
      for (const ParameterSetting& setting : action.parameters) {
        v1::ParameterValue& value = *request.mutable_set_parameters()->add_values();
        value.set_name(setting.name);
        value.set_value(setting.value);
      }
      break;
    case ScenarioVerb::kClear:
      request.mutable_clear_faults()->set_signal(action.target);
      break;
    case ScenarioVerb::kNote:
      request.mutable_note()->set_text(action.target);
      break;
    case ScenarioVerb::kReset:
      request.mutable_reset();
      break;
    case ScenarioVerb::kPause:
      request.mutable_pause();
      break;
    case ScenarioVerb::kResume:
      request.mutable_resume();
      break;
  }
  return request;
}

void add_scenario(const ScenarioSpec& scenario, v1::Panel& panel) {
  v1::Scenario& out = *panel.add_scenarios();
  out.set_name(scenario.name);
  out.set_notes(scenario.notes);
  for (const ScenarioAction& action : scenario.actions) *out.add_requests() = request_of(action);
}

}  // namespace

v1::Panel make_panel(const RigSpec& rig) {
  v1::Panel panel;
  for (const DriveAxisSpec& axis : rig.panel.axes) add_axis(axis, panel);
  for (const CameraSpec& camera : rig.panel.cameras) add_camera(camera, panel);
  for (const ScenarioSpec& scenario : rig.panel.scenarios) add_scenario(scenario, panel);
  for (const std::vector<std::string>& signals : rig.panel.plots) {
    panel.add_plots()->mutable_signals()->Assign(signals.begin(), signals.end());
  }
  return panel;
}

}  // namespace kinloop::gateway
