import type { StartableKind } from './run-draft.ts'

/** What the address says of the form. */
export interface NewRunSearch {
  readonly kind?: StartableKind
  readonly namespace?: string
  readonly of?: string
}

const kinds: readonly StartableKind[] = ['AgentRun', 'OrchestrationRun', 'ToolRun']

export function readNewRunSearch(search: Readonly<Record<string, unknown>>): NewRunSearch {
  const { kind, namespace, of } = search
  const known = kinds.find((each) => each === kind)
  return {
    ...(known !== undefined && { kind: known }),
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof of === 'string' && { of }),
  }
}
