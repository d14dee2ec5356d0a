// Tests which role may ask for what.
#include "services/security/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kinloop/client/verb_properties.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace kinloop::security {
namespace {

const google::protobuf::OneofDescriptor& verbs() { return *v1::ControlRequest::descriptor()->FindOneofByName("verb"); }

std::set<std::string> verbs_permitted_to(Role role) {
  std::set<std::string> names;
  for (int i = 0; i < verbs().field_count(); ++i) {
    if (permits(role, static_cast<Verb>(verbs().field(i)->number()))) names.insert(verbs().field(i)->name());
  }
  return names;
}

TEST(Roles, EveryVerbOfTheSchemaHasARole) {
  for (int i = 0; i < verbs().field_count(); ++i) {
    EXPECT_TRUE(least_role(static_cast<Verb>(verbs().field(i)->number())).has_value()) << verbs().field(i)->name();
  }
}

TEST(VerbProperties, EveryVerbOfTheSchemaSaysWhatItIsLike) {
  for (int i = 0; i < verbs().field_count(); ++i) {
    const v1::VerbProperties& properties = client::properties_of(static_cast<Verb>(verbs().field(i)->number()));
    EXPECT_NE(properties.role(), v1::ROLE_UNSPECIFIED) << verbs().field(i)->name();
    EXPECT_NE(properties.timeout(), v1::TIMEOUT_UNSPECIFIED) << verbs().field(i)->name();
    EXPECT_EQ(properties.timeout() == v1::TIMEOUT_PATIENCE,
              verbs().field(i)->message_type()->FindFieldByName("patience_s") != nullptr)
        << verbs().field(i)->name();
  }
}

TEST(VerbProperties, WhatStopsThePlantNeverWaits) {
  EXPECT_FALSE(client::properties_of(v1::ControlRequest::kEmergencyStop).can_wait());
  EXPECT_FALSE(client::properties_of(v1::ControlRequest::kShutdown).can_wait());
  EXPECT_TRUE(client::properties_of(v1::ControlRequest::kPause).can_wait());
}

TEST(VerbProperties, JobsAreThoseThatCanBeCancelled) {
  std::set<std::string> jobs;
  for (int i = 0; i < verbs().field_count(); ++i) {
    if (client::properties_of(static_cast<Verb>(verbs().field(i)->number())).job())
      jobs.insert(verbs().field(i)->name());
  }

  EXPECT_THAT(jobs, testing::UnorderedElementsAre("linearize", "linearize_trajectory", "rollout", "trim", "capture"));
}

/// The row of docs/security.md for a role, between its bars.
std::string row_of(const std::string& role) {
  std::ifstream file(std::filesystem::path(KINLOOP_SOURCE_DIR) / "docs/security.md");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `" + role + "` |")) return line;
  }
  return {};
}

TEST(Roles, TheDocsNameEveryVerbBesideItsRole) {
  for (int i = 0; i < verbs().field_count(); ++i) {
    const auto role = least_role(static_cast<Verb>(verbs().field(i)->number()));

    ASSERT_TRUE(role.has_value()) << verbs().field(i)->name();
    EXPECT_THAT(row_of(std::string(name_of(*role))), testing::ContainsRegex("\\b" + verbs().field(i)->name() + "\\b"));
  }
}

TEST(Roles, EachRoleMayDoWhatTheOnesBeforeItMayAndMore) {
  const auto observer = verbs_permitted_to(Role::kObserver);
  const auto operating = verbs_permitted_to(Role::kOperator);
  const auto admin = verbs_permitted_to(Role::kAdmin);

  EXPECT_TRUE(std::includes(operating.begin(), operating.end(), observer.begin(), observer.end()));
  EXPECT_TRUE(std::includes(admin.begin(), admin.end(), operating.begin(), operating.end()));
  EXPECT_LT(observer.size(), operating.size());
  EXPECT_EQ(admin.size(), static_cast<std::size_t>(verbs().field_count()));
}

TEST(Roles, AnObserverReadsAndStopsInAnEmergency) {
  EXPECT_THAT(verbs_permitted_to(Role::kObserver),
              testing::UnorderedElementsAre("describe", "status", "timing", "get_parameters", "snapshot", "subscribe",
                                            "capture", "linearize", "linearize_trajectory", "rollout", "trim", "cancel",
                                            "emergency_stop"));
}

TEST(Roles, OnlyAnAdminAltersThePlantItself) {
  for (const Verb verb :
       {v1::ControlRequest::kSetParameters, v1::ControlRequest::kInjectFault, v1::ControlRequest::kClearFaults,
        v1::ControlRequest::kOverride, v1::ControlRequest::kApplyForce, v1::ControlRequest::kShutdown}) {
    EXPECT_FALSE(permits(Role::kOperator, verb)) << verb;
    EXPECT_TRUE(permits(Role::kAdmin, verb)) << verb;
  }
}

TEST(Roles, ActuatorsAreMovedByOperators) {
  EXPECT_FALSE(permits_commands(Role::kObserver));
  EXPECT_TRUE(permits_commands(Role::kOperator));
  EXPECT_TRUE(permits_commands(Role::kAdmin));
}

TEST(Roles, ANumberThatIsNoVerbIsPermittedToNobody) { EXPECT_FALSE(permits(Role::kAdmin, static_cast<Verb>(63))); }

TEST(Roles, ARequestWithoutAVerbMayBeAnsweredToEverybody) {
  EXPECT_TRUE(permits(Role::kObserver, v1::ControlRequest::VERB_NOT_SET));
}

TEST(Roles, NamesAndRolesBelongTogether) {
  for (const Role role : {Role::kObserver, Role::kOperator, Role::kAdmin}) EXPECT_EQ(find_role(name_of(role)), role);
  for (const char* name : {"", "Admin", "server", "root"}) EXPECT_FALSE(find_role(name).has_value()) << name;
}

TEST(Roles, AUserIdReadsBackAsTheCaller) {
  const Caller caller{Role::kOperator, "alice.laptop-2"};

  EXPECT_EQ(user_id(caller), "operator:alice.laptop-2");
  EXPECT_EQ(parse_user_id(user_id(caller)), caller);
}

TEST(Roles, WhatIsNoUserIdIsNobody) {
  for (const char* text : {"", "admin", "admin:", ":alice", "root:alice", "admin:a b", "admin:a:b", "ADMIN:alice"}) {
    EXPECT_FALSE(parse_user_id(text).has_value()) << text;
  }
}

TEST(Roles, AMessageWithoutAnIdIsFromAnAdmin) { EXPECT_EQ(caller_of(zmq::message_t()), (Caller{Role::kAdmin, ""})); }

}  // namespace
}  // namespace kinloop::security
