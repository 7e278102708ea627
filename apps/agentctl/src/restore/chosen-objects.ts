import {
  kindOf,
  type ObjectPlace,
  type RestoredKind,
  type StoredObject,
  type UnusableFile,
} from '@agents/gittarget'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { nearestWord } from '../cli/nearest-word.ts'
import { findPlatformKind } from '../cluster/known-kinds.ts'

type Identity = StoredObject['identity']

interface Stored {
  readonly commit: string
  readonly objects: readonly StoredObject[]
  readonly unusable: readonly UnusableFile[]
}

/** The objects that the user names as `KIND/NAME` or `NAMESPACE/KIND/NAME`; all of them if none is named. */
export async function chosenObjects(
  words: readonly string[],
  stored: Stored,
  kinds: readonly RestoredKind[],
  /** The newest commit that has an object which was deleted. */
  lastRevisionOf: (places: readonly ObjectPlace[]) => Promise<string | undefined>,
): Promise<Pick<Stored, 'objects' | 'unusable'>> {
  if (words.length === 0) return stored
  const objects = new Set<StoredObject>()
  const unusable = new Set<UnusableFile>()
  for (const word of words) {
    const { isWanted, places: possible } = parsed(word)
    const found = stored.objects.filter((each) => isWanted(each.identity, kindOf(each, kinds)))
    const broken = stored.unusable.filter(
      ({ identity }) => identity !== undefined && isWanted(identity, undefined),
    )
    const all = [...found, ...broken]
    if (all.length === 0) throw missing(word, stored, await lastRevisionOf(possible(kinds)))
    const places = new Set(all.map(({ identity }) => identity && labelOf(identity)))
    if (places.size > 1) {
      throw usageFailure(
        `${word} is ambiguous`,
        `Give one of: ${[...places].toSorted().join(', ')}`,
      )
    }
    for (const each of found) objects.add(each)
    for (const each of broken) unusable.add(each)
  }
  return { objects: [...objects], unusable: [...unusable] }
}

/** `team/deployment.apps/web`, or `namespace/team` for an object without a namespace. */
export function labelOf({ namespace, kind, group, name }: Identity): string {
  const type = (group === '' ? kind : `${kind}.${group}`).toLowerCase()
  return namespace === '' ? `${type}/${name}` : `${namespace}/${type}/${name}`
}

function parsed(word: string) {
  const parts = word.split('/')
  const [name = '', typed = '', namespace] = parts.toReversed()
  if (parts.length < 2 || parts.length > 3 || parts.includes('')) {
    throw usageFailure(
      `${JSON.stringify(word)} does not name an object: use KIND/NAME or NAMESPACE/KIND/NAME`,
    )
  }
  const kindWord = typed.toLowerCase()
  const ours = findPlatformKind(kindWord)
  const isKind = (group: string, kind: string, others: readonly string[]): boolean => {
    if (ours !== undefined) return ours.kind === kind && ours.group === group
    return [kind.toLowerCase(), ...others].some(
      (each) => kindWord === each || kindWord === `${each}.${group}`,
    )
  }
  return {
    isWanted: (identity: Identity, kind: RestoredKind | undefined): boolean =>
      identity.name === name &&
      (namespace === undefined || identity.namespace === namespace) &&
      isKind(identity.group, identity.kind, kind === undefined ? [] : namesOf(kind)),
    places: (kinds: readonly RestoredKind[]): ObjectPlace[] =>
      kinds
        .filter((each) => isKind(each.group, each.kind, namesOf(each)))
        .map(({ group, resource }) => ({ group, resource, namespace, name })),
  }
}

function namesOf({ resource, names }: RestoredKind): string[] {
  return [resource, ...names]
}

function missing(
  word: string,
  { commit, objects }: Stored,
  last: string | undefined,
): CommandFailure {
  const nearest = last === undefined ? nearestObject(word, objects) : undefined
  return new CommandFailure(`Git has no ${word} at commit ${commit.slice(0, 12)}`, {
    code: exitCode.cluster,
    advice: [
      ...(nearest === undefined ? [] : [`Did you mean ${nearest}?`]),
      last === undefined
        ? 'The mirror removes the files of deleted objects, but older commits have them: use --revision, such as HEAD~1.'
        : `Its file was deleted. The last commit that has it: --revision ${last.slice(0, 12)}`,
    ],
  })
}

/** The name counts, because most objects of a folder have the same few kinds and namespaces. */
function nearestObject(word: string, objects: readonly StoredObject[]): string | undefined {
  const typed = word.slice(word.lastIndexOf('/') + 1)
  const name = nearestWord(
    typed,
    objects.map(({ identity }) => identity.name),
  )
  const named = objects.filter(({ identity }) => identity.name === name)
  return nearestWord(
    word,
    named.flatMap(({ identity }) => [labelOf(identity), labelOf({ ...identity, namespace: '' })]),
  )
}
