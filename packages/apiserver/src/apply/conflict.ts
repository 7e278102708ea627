import { ApiError } from '../status/api-error.ts'
import { type FieldSet, pathsOf } from './field-set.ts'
import { byText, goQuoted } from './go-text.ts'
import type { Managed, ManagerId } from './managers.ts'
import { displayPath } from './path-element.ts'

/** Fields that an applier changes although other managers own them. */
export type Conflicts = ReadonlyMap<
  ManagerId,
  { readonly owner: Managed; readonly fields: FieldSet }
>

/** A 409 with one cause for each field. */
export function conflictError(conflicts: Conflicts): ApiError {
  const byOwner = [...conflicts]
    .sort(([a], [b]) => byText(a, b))
    .map(([, { owner, fields }]) => ({
      owner: describe(owner),
      paths: pathsOf(fields).map(displayPath),
    }))
  const causes = byOwner.flatMap(({ owner, paths }) =>
    paths.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${owner}`,
      field,
    })),
  )
  return new ApiError(409, 'Conflict', message(byOwner, causes.length), { causes })
}

function message(
  byOwner: readonly { owner: string; paths: readonly string[] }[],
  count: number,
): string {
  if (count === 1) {
    const [only] = byOwner
    return `Apply failed with 1 conflict: conflict with ${only?.owner}: ${only?.paths[0]}`
  }
  const lines = byOwner.flatMap(({ owner, paths }) => [
    `conflicts with ${owner}:`,
    ...paths.map((path) => `- ${path}`),
  ])
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`
}

function describe({ manager, operation, subresource, apiVersion }: Managed): string {
  const name = goQuoted(manager)
  const named = subresource === '' ? name : `${name} with subresource ${goQuoted(subresource)}`
  return operation === 'Update' ? `${named} using ${apiVersion}` : named
}
