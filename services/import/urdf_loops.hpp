// Owns the reading of <loop>, an element of our own in URDF, which otherwise can only hold a tree.
#pragma once

#include "services/base/diagnostics.hpp"
#include "services/import/mechanism_graph.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {

/// Adds the loops of a <robot> to its graph:
///
///   <loop name="close" type="revolute">
///     <predecessor link="crank"><origin xyz="0.3 0 0" rpy="0 0 0"/></predecessor>
///     <successor link="rocker"><origin xyz="0 0 0.2"/></successor>
///     <axis xyz="0 1 0"/>
///   </loop>
///
/// Both origins are the joint's frame, in each of the links; the axis is given in it, as in a <joint>.
void add_urdf_loops(const XmlElement& robot, MechanismGraph& graph, Diagnostics& diagnostics);

}  // namespace kinloop
