// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package script runs behaviour scenarios: txtar scripts in the project's own
// verbs, against a real control plane with the three controllers.
//
// In: a folder of scripts. Out: a subtest for each. A script is read from top
// to bottom; the files of its archive lie in its working directory, those below
// git/ are what the repository holds after the next commit. Beside the verbs of
// testscript (cp, rm, exec, stdout, !, ...) there are:
//
//	namespace NAME            work in a namespace of that name
//	commit MESSAGE            the branch now holds exactly the files below git/
//	apply FILE [as MANAGER]   server-side apply, by default as platform-engineer
//	deploy FILE as MANAGER    create or replace, as a tool without server-side apply
//	release NAME PATH FILE... what helm upgrade does with the chart git/PATH
//	application NAME PATH [FILE]
//	                          declare an Application; FILE is merged into its spec
//	project [FILE]            the Project of the namespace, and accounts that write
//	at-stage APP STAGE        wait until that is the effective stage
//	approve APP [PLAN]        approve the plan that its status shows: heal (or
//	                          left out), prune, undo
//	kubectl ARG...            in the script's namespace, as an administrator
//	holdfast CODE VERB...     the command line, likewise, and the exit code it has to end with
//	await APP CONDITION=STATUS [REASON]
//	cmp-report APP FILE       wait until the drift report reads like FILE
//	cmp-status APP FILE       the same for the status
//	cmp-plans APP FILE        the same for its plans
//	settled APP               wait until two looks at the status are alike
//	never-removed             no report of the namespace has an entry of class Removed
//	audit-writes COUNT        persisting writes of the controllers to what is not theirs
//	audit-applied COUNT       of these, those of the account that applies and heals
//	audit-pruned COUNT        and those of the account that prunes
//	remember APP              keep its status as it is now
//	unmoved APP CONDITION     the condition has had one status ever since
//	apiserver-gone DURATION   the API server is away for so long
//	kill-controller NAME, start-controller NAME
//
// In the files of apply, deploy and application, ${NS} is the namespace,
// ${COMMIT} the last commit, and ${SOON} a time a few seconds after the script
// began. The scripts of a folder run at the same time; those that stop what
// others need have a folder of their own, whose scripts run one by one.
package script
