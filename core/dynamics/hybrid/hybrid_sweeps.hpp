// Owns what the hybrid formulation does within one piece: the inward sweep up to Gamma, the outward one after it.
#pragma once

#include "core/dynamics/hybrid/hybrid_pieces.hpp"

namespace kinloop::hybrid {

/// Q, compliances, W and applied wrench of a cut joint, from the joint's columns in ws. Writes this cut alone.
void orient_cut(const Model& model, const Workspace& ws, Cut& cut) noexcept;

/// The inward sweep. Needs orient_cut() of the piece's ports; writes the piece and `h`, `eliminated` of its bodies and
/// speeds alone. False if some speed or the floating base moves no inertia.
bool reduce_piece(const Model& model, const Workspace& ws, const Partition& partition, Piece& piece,
                  ArticulatedInertia* h, Elimination* eliminated) noexcept;

/// The outward sweep with the cut forces piece.f: ws.A and ws.vdot of the piece's own bodies and uncut joints.
void expand_piece(const Model& model, const Piece& piece, const Elimination* eliminated, Workspace& ws) noexcept;

/// ws.vdot of a cut joint, from ws.A of its two bodies.
void join_cut(const Model& model, const Cut& cut, Workspace& ws) noexcept;

}  // namespace kinloop::hybrid
