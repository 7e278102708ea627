{{- /* Written by "npm run generate" from the declarations of the kinds. Edit those instead. */ -}}
{{- define "agents.kinds.jangar" -}}
agents.proompteng.ai: [agentproviders, agentruns, agents, implementationsources, implementationspecs, memories, versioncontrolproviders]
approvals.proompteng.ai: [approvaldecisions, approvalpolicies, approvalrequests]
artifacts.proompteng.ai: [artifacts]
budgets.proompteng.ai: [budgets]
orchestration.proompteng.ai: [orchestrationruns, orchestrations]
schedules.proompteng.ai: [schedules]
security.proompteng.ai: [secretbindings]
signals.proompteng.ai: [signaldeliveries, signals]
tools.proompteng.ai: [toolruns, tools]
workspaces.proompteng.ai: [workspaces]
{{- end -}}
{{- define "agents.kinds.gittarget" -}}
gitops.proompteng.ai: [clusterwatchrules, gitproviders, gittargets, watchrules]
{{- end -}}
