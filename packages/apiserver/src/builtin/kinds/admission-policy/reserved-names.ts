import type { BuiltinObject } from '../../strategy/kind-rules.ts'

const suffix = '.static.k8s.io'

/** Names with this suffix are reserved for configuration that kube-apiserver reads from files. */
export function reservedNameWarnings({ metadata }: BuiltinObject): string[] {
  if (!metadata.name.endsWith(suffix)) return []
  return [
    `metadata.name: names ending with "${suffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ]
}
