import type { ApiObject } from '@agents/client'

/** A parameter that the form has a field for. */
export interface DeclaredParameter {
  readonly name: string
  readonly description?: string
  readonly default?: string
  readonly required?: boolean
  readonly enum?: readonly string[]
}

/** Those that an Orchestration or Tool declares; of an Agent those that it has defaults for. */
export function declaredParameters(object: ApiObject | undefined): readonly DeclaredParameter[] {
  const { parameters, defaults } = (object?.spec ?? {}) as {
    readonly parameters?: unknown
    readonly defaults?: { readonly parameters?: Readonly<Record<string, string>> }
  }
  if (Array.isArray(parameters)) return parameters as readonly DeclaredParameter[]
  return Object.entries(defaults?.parameters ?? {}).map(([name, value]) => ({
    name,
    default: value,
  }))
}
