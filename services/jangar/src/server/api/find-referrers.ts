import { isForbidden, isNotFound, type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { fullNameOf, platformKinds } from '../definitions/platform-kinds.ts'
import { listOf, type MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import type { CallerClient } from './caller-client.ts'
import type { RunSource } from './list-runs.ts'
import { needFilled, needRunsOf } from './need-runs.ts'
import { referenceFields, referencesTo } from './reference-fields.ts'

export interface ReferrerPorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
  readonly callerClient: CallerClient
}

interface Referrer {
  /** Absent for objects of the cluster. */
  readonly namespace?: string | undefined
  readonly name: string
  readonly uid: string
  readonly createdAt: string | undefined
  readonly phase: string | undefined
  /** The fields by which it refers to the object. */
  readonly fields: readonly string[]
}

/** The objects of a kind that refer to an object. */
interface ReferrersOfKind {
  /** `agentruns.agents.proompteng.ai` */
  readonly kind: string
  readonly access: 'listed' | 'denied'
  /** How many were found. */
  readonly count: number
  /** Whether all objects of the kind were examined. */
  readonly isComplete: boolean
  /** The newest of them. */
  readonly items: readonly Referrer[]
}

const mostItems = 100
/** Other kinds than runs have few objects. */
const pageSize = 500
const mostPages = 4

/**
 * The objects that refer to an object, by kind, of the kinds that the caller may list. Of others, only that they could
 * not be listed.
 */
export async function findReferrers(
  ports: ReferrerPorts,
  caller: Caller,
  kind: KindRef,
  object: KubeObject,
  signal: AbortSignal,
): Promise<readonly ReferrersOfKind[]> {
  const { namespace = '', name, uid } = object.metadata
  const target = { kind: kind.kind, namespace, name, uid }
  const found = await Promise.all(
    platformKinds.map(async (declared): Promise<ReferrersOfKind | undefined> => {
      const source = ports.sources.find(({ cache }) => cache.kind.kind === declared.kind)
      const fields = referenceFields.get(declared.kind) ?? []
      const mayRefer = fields.some(({ to }) => to === undefined || to === kind.kind)
      // Runs may be owned by what started them; they are in the cache anyway.
      if (!mayRefer && source === undefined) return undefined
      const of = { kind: fullNameOf(declared) }
      const match = (objects: readonly KubeObject[]): readonly Referrer[] =>
        objects.flatMap((each) => {
          const by = referencesTo(declared.kind, each, target)
          return by.length === 0 ? [] : [recordOf(each, by)]
        })
      const listed =
        source === undefined
          ? await listAsCaller(ports, caller, declared, namespace, match, signal)
          : await listRuns(ports, caller, source, namespace, match)
      if (listed === 'absent') return undefined
      if (listed === 'denied') {
        return mayRefer
          ? { ...of, access: 'denied', count: 0, isComplete: false, items: [] }
          : undefined
      }
      const { referrers, isComplete } = listed
      if (referrers.length === 0 && isComplete) return undefined
      const items = referrers.toSorted(newestFirst).slice(0, mostItems)
      return { ...of, access: 'listed', count: referrers.length, isComplete, items }
    }),
  )
  return found.filter((each) => each !== undefined)
}

/** The objects that refer to the object, of a page or a cache: nothing else of it is kept. */
type Match = (objects: readonly KubeObject[]) => readonly Referrer[]

interface Listed {
  readonly referrers: readonly Referrer[]
  readonly isComplete: boolean
}

/** There may be many: they are read from the cache, as lists of runs are. */
async function listRuns(
  { mayDo }: ReferrerPorts,
  caller: Caller,
  source: RunSource,
  namespace: string,
  match: Match,
): Promise<Listed | 'denied'> {
  if (!(await mayDo(caller, listOf(source.cache.kind, namespace)))) return 'denied'
  // Objects of the cluster have no namespace.
  if (namespace === '') needFilled([source])
  else needRunsOf(namespace, [source])
  const { cache } = source
  const isHere = ({ metadata }: KubeObject) => metadata.namespace === namespace
  return { referrers: match(cache.list().filter(isHere)), isComplete: true }
}

async function listAsCaller(
  { callerClient }: ReferrerPorts,
  caller: Caller,
  declared: (typeof platformKinds)[number],
  namespace: string,
  match: Match,
  signal: AbortSignal,
): Promise<Listed | 'denied' | 'absent'> {
  const kind = kindRef<KubeObject>(declared)
  const place = declared.scope === 'Namespaced' ? namespace : undefined
  const referrers: Referrer[] = []
  let next: string | undefined
  try {
    for (let page = 0; page < mostPages; page += 1) {
      const query = { limit: pageSize, continue: next }
      const { metadata, items } = await callerClient.list(caller, kind, place, query, signal)
      referrers.push(...match(items))
      next = metadata.continue || undefined
      if (next === undefined) return { referrers, isComplete: true }
    }
  } catch (error) {
    if (isForbidden(error)) return 'denied'
    // The definition of the kind is not installed.
    if (isNotFound(error)) return 'absent'
    throw error
  }
  return { referrers, isComplete: false }
}

function recordOf(object: KubeObject, fields: readonly string[]): Referrer {
  const { namespace, name, uid = '', creationTimestamp } = object.metadata
  const { status } = object as { readonly status?: { readonly phase?: string } }
  return { namespace, name, uid, createdAt: creationTimestamp, phase: status?.phase, fields }
}

function newestFirst(a: Referrer, b: Referrer): number {
  return (b.createdAt ?? '').localeCompare(a.createdAt ?? '') || a.name.localeCompare(b.name)
}
