import type { RunSummary } from '@agents/client'
import { resourceOf } from '../parts/run-kinds.ts'

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
