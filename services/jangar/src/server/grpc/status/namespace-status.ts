import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'

interface Component {
  readonly name: string
  readonly status: ComponentStatus
}

/** The worst status of the components that the namespace needs. Disabled components are ignored. */
export function namespaceStatus(
  namespace: string,
  components: readonly Component[],
): { namespace: string; status: ComponentStatus; degradedComponents: string[] } {
  const unwell = components.filter(
    ({ status }) => status !== ComponentStatus.HEALTHY && status !== ComponentStatus.DISABLED,
  )
  const has = (wanted: ComponentStatus): boolean => unwell.some(({ status }) => status === wanted)
  const unknown = unwell.length > 0 ? ComponentStatus.UNKNOWN : ComponentStatus.HEALTHY
  return {
    namespace,
    status: has(ComponentStatus.DEGRADED) ? ComponentStatus.DEGRADED : unknown,
    degradedComponents: unwell.map(({ name }) => name),
  }
}
