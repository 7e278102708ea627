const resources: Readonly<Record<string, { readonly group: string; readonly resource: string }>> = {
  AgentRun: { group: 'agents.proompteng.ai', resource: 'agentruns' },
  OrchestrationRun: { group: 'orchestration.proompteng.ai', resource: 'orchestrationruns' },
  ToolRun: { group: 'tools.proompteng.ai', resource: 'toolruns' },
}

const entries = Object.entries(resources)

/** As RBAC names the kind. */
export function resourceOf(kind: string): { readonly group: string; readonly resource: string } {
  return resources[kind] ?? { group: '', resource: kind.toLowerCase() }
}

/** The kind of run with this full name, if it is one of runs. */
export function runKindOf(fullName: string): string | undefined {
  const isIt = ([, { group, resource }]: (typeof entries)[number]) =>
    `${resource}.${group}` === fullName
  return entries.find(isIt)?.[0]
}

/** `agentruns.agents.proompteng.ai` */
export function fullNameOf(kind: string): string {
  const { group, resource } = resourceOf(kind)
  return `${resource}.${group}`
}

export const runKindNames: readonly string[] = Object.keys(resources).map(fullNameOf)
