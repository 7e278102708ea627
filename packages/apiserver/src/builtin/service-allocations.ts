import type { Store } from '../store/store.ts'
import { part, parts, texts } from './fields.ts'
import type { ServiceAllocations } from './kinds/service-kinds.ts'
import type { BuiltinObject } from './strategy/kind-rules.ts'

/** The addresses and ports of the stored services. */
export function serviceAllocations(store: Store): ServiceAllocations {
  const specs = () =>
    store.list('/core/services/').entries.map(({ value }) => part(value as BuiltinObject, 'spec'))
  return {
    isAddressTaken: (address) =>
      specs().some((spec) => texts(spec, 'clusterIPs').includes(address)),
    isNodePortTaken: (port) =>
      specs().some((spec) => parts(spec, 'ports').some(({ nodePort }) => nodePort === port)),
  }
}
