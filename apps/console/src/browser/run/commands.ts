import type { RunSummary } from '@agents/client'

const resources: Readonly<Record<string, { readonly group: string; readonly resource: string }>> = {
  AgentRun: { group: 'agents.proompteng.ai', resource: 'agentruns' },
  OrchestrationRun: { group: 'orchestration.proompteng.ai', resource: 'orchestrationruns' },
  ToolRun: { group: 'tools.proompteng.ai', resource: 'toolruns' },
}

/** As RBAC names the kind. */
export function resourceOf(kind: string): { readonly group: string; readonly resource: string } {
  return resources[kind] ?? { group: '', resource: kind.toLowerCase() }
}

/** Reads the run. Names of objects need no quotes. */
export function kubectlCommand({ kind, namespace, name }: RunSummary): string {
  const { group, resource } = resourceOf(kind)
  return `kubectl get ${resource}.${group} ${name} -n ${namespace} -o yaml`
}

/** Explains the run. */
export function agentctlCommand({ kind, namespace, name }: RunSummary): string {
  const word = kind === 'AgentRun' ? 'run' : kind.toLowerCase()
  return `agentctl explain ${word} ${name} -n ${namespace}`
}
