// Owns ModelObject: a model as Python sees it, with the memory that its evaluations need.
//
// Evaluations keep nothing: each answer depends on its arguments alone. One at a time, which Python's lock sees to.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/reactions.hpp"
#include "core/dynamics/energy.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "services/files/load_model.hpp"
#include "services/python/constructed.hpp"

namespace kinloop::python {

using Settings = std::vector<ParameterSetting>;

/// A ModelError: what was set from outside is named as the caller knows it, "parameters.length".
Failure refusal_of(std::vector<Error> errors);

/// From a file, or from a text that counts as the file of that name. Throws Failure.
std::shared_ptr<const LoadedModel> load_model_object(const std::string& file, const std::string* text,
                                                     const Settings& parameters, const std::string& base);

class ModelObject : public Constructed {
 public:
  explicit ModelObject(std::shared_ptr<const LoadedModel> loaded);

  const Model& model() const noexcept { return loaded_->model; }
  const std::shared_ptr<const LoadedModel>& loaded() const noexcept { return loaded_; }

  /// A motion whose numbers are finite and of the right count; quaternions are brought to unit length, whether loops
  /// are closed is asked where it matters.
  struct Motion {
    VectorX q, v;
    double time_s = 0.0;
  };

  /// A body or a frame on one, by name; a frame comes first where both have it.
  struct Place {
    int body = 0;
    Pose in_body;  // in the frame in which the file describes the body
  };
  Place place(const std::string& name) const;

  Pose pose(const VectorX& q, const Place& place);
  std::vector<Pose> poses(const VectorX& q);
  /// [angular; linear] of every body's origin, one per row.
  MatrixX velocities(const Motion& motion);
  /// 6 x nv, [angular; linear] of the place's origin.
  MatrixX jacobian(const VectorX& q, const Place& place);
  MatrixX mass_matrix(const VectorX& q);
  MatrixX constraint_jacobian(const VectorX& q);
  double closure_error(const VectorX& q);
  Motion closed(const Motion& motion);

  VectorX forward_dynamics(const Motion& motion, const VectorX& tau, const std::string& formulation);
  VectorX inverse_dynamics(const Motion& motion, const VectorX& vdot);
  Reactions reactions(const Motion& motion, const VectorX& tau, const std::string& formulation);
  Energy energy(const Motion& motion);
  Momentum momentum(const Motion& motion);
  MassCentre mass_centre(const VectorX& q);

  VectorX integrate(const VectorX& q, const VectorX& increment) const;
  VectorX difference(const VectorX& from, const VectorX& to) const;

 private:
  VectorX unit_quaternions(VectorX q) const;
  Motion prepared(const Motion& motion) const;
  void place_bodies(const VectorX& q);
  Motion place_motion(const Motion& motion);
  void solve(const Motion& motion, const VectorX& tau, const std::string& formulation);
  void require_closed() const;

  std::shared_ptr<const LoadedModel> loaded_;
  Workspace ws_;
  Loads loads_;
  State fresh_;  // without a basis
  VectorX at_rest_;
  std::map<std::string, std::unique_ptr<Dynamics>> dynamics_;
};

}  // namespace kinloop::python
