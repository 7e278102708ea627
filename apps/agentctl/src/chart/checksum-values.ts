import { parse, stringify } from 'yaml'
import type { ListedObject, ObjectKind } from './checksum-list.ts'
import { type Digestible, objectDigest } from './object-digest.ts'

/** `rolloutChecksums.values` of the chart: digests by kind and name. */
type ChecksumValues = Readonly<Record<ObjectKind, Readonly<Record<string, string>>>>

/** Finds one object. Returns undefined if it does not exist. */
export type FindObject = (kind: ObjectKind, name: string) => Promise<Digestible | undefined>

interface Checksums {
  readonly values: ChecksumValues
  readonly missing: readonly ListedObject[]
}

/** Computes checksums. With a key they are HMACs, so that a reader of the Git repository cannot test guesses. */
export async function checksumsOf(
  listed: readonly ListedObject[],
  find: FindObject,
  hmacKey?: Buffer,
): Promise<Checksums> {
  const found: Record<ObjectKind, Record<string, string>> = { secret: {}, configmap: {} }
  const missing: ListedObject[] = []
  for (const entry of listed) {
    const object = await find(entry.kind, entry.name)
    if (object === undefined) missing.push(entry)
    else found[entry.kind][entry.name] = objectDigest(object, entry.keys, hmacKey)
  }
  return { values: found, missing }
}

/** As a values file of its own, the same for the same digests. */
export function checksumFile(values: ChecksumValues): string {
  const sorted = (some: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(some).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const kinds = Object.entries(values)
    .filter(([, digests]) => Object.keys(digests).length > 0)
    .map(([kind, digests]) => [kind, sorted(digests)])
  return `${head}${stringify({ rolloutChecksums: { values: Object.fromEntries(kinds) } })}`
}

const head =
  '# Written by `agentctl chart checksums --write`: digests of the Secrets and ConfigMaps that pods are to be restarted for.\n'

interface Drift {
  readonly object: string
  readonly how: 'changed' | 'not in the file' | 'no longer listed'
}

/** Where a file differs from what it should hold now. */
export function driftOf(text: string, now: ChecksumValues): Drift[] {
  const parsed = (parse(text) ?? {}) as { rolloutChecksums?: { values?: Partial<ChecksumValues> } }
  const kept = flat(parsed.rolloutChecksums?.values ?? {})
  const wanted = flat(now)
  const names = [...new Set([...kept.keys(), ...wanted.keys()])].toSorted()
  return names.flatMap((object): Drift[] => {
    const [before, after] = [kept.get(object), wanted.get(object)]
    if (before === after) return []
    if (before === undefined) return [{ object, how: 'not in the file' }]
    return [{ object, how: after === undefined ? 'no longer listed' : 'changed' }]
  })
}

function flat(values: Partial<ChecksumValues>): Map<string, string> {
  return new Map(
    Object.entries(values).flatMap(([kind, digests]) =>
      Object.entries(digests ?? {}).map(([name, digest]) => [`${kind}/${name}`, digest] as const),
    ),
  )
}
