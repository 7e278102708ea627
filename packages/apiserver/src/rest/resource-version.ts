import { invalid, tooLargeResourceVersion } from '../endpoints/api-error.ts'
import type { Resource } from '../registry/resource.ts'
import type { Store } from '../store/store.ts'
import { invalidValue } from './field-errors.ts'

/** `undefined` for the empty version. Throws a 422 for what is no number. */
export function parseResourceVersion(text: string, resource: Resource): number | undefined {
  if (text === '') return undefined
  if (!/^\d+$/.test(text)) {
    throw invalid({ group: resource.group, kind: resource.plural }, '', [
      invalidValue(
        'resourceVersion',
        text,
        `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
      ),
    ])
  }
  return Number(text)
}

/** How long a read waits for a revision that has not come yet, before it is refused. */
const freshnessTimeoutMs = 3000
const pollMs = 25

/** Resolves when the store has reached the revision; a 504 when it does not in time. */
export async function waitUntilFresh(store: Store, revision: number): Promise<void> {
  const deadline = performance.now() + freshnessTimeoutMs
  while (store.revision < revision) {
    if (performance.now() >= deadline) throw tooLargeResourceVersion(revision, store.revision)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
