import { kindOf, type RestoredKind, type StoredObject, type UnusableFile } from '@agents/gittarget'
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
export function chosenObjects(
  words: readonly string[],
  stored: Stored,
  kinds: readonly RestoredKind[],
): Pick<Stored, 'objects' | 'unusable'> {
  if (words.length === 0) return stored
  const objects = new Set<StoredObject>()
  const unusable = new Set<UnusableFile>()
  for (const word of words) {
    const isWanted = matcher(word)
    const found = stored.objects.filter((each) => isWanted(each.identity, kindOf(each, kinds)))
    const broken = stored.unusable.filter(
      ({ identity }) => identity !== undefined && isWanted(identity, undefined),
    )
    const all = [...found, ...broken]
    if (all.length === 0) throw missing(word, stored)
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

function matcher(word: string) {
  const parts = word.split('/')
  const [name, typed, namespace] = parts.toReversed()
  if (parts.length < 2 || parts.length > 3 || parts.includes('')) {
    throw usageFailure(
      `${JSON.stringify(word)} does not name an object: use KIND/NAME or NAMESPACE/KIND/NAME`,
    )
  }
  const kindWord = (typed ?? '').toLowerCase()
  const ours = findPlatformKind(kindWord)
  return (identity: Identity, kind: RestoredKind | undefined): boolean => {
    if (identity.name !== name) return false
    if (namespace !== undefined && identity.namespace !== namespace) return false
    if (ours !== undefined) return ours.kind === identity.kind && ours.group === identity.group
    const names = [
      identity.kind.toLowerCase(),
      ...(kind === undefined ? [] : [kind.resource, ...kind.names]),
    ]
    return names.some((each) => kindWord === each || kindWord === `${each}.${identity.group}`)
  }
}

function missing(word: string, { commit, objects }: Stored): CommandFailure {
  const labels = objects.map(({ identity }) => labelOf(identity))
  const short = objects.map(({ identity }) => labelOf({ ...identity, namespace: '' }))
  const nearest = nearestWord(word, [...labels, ...short])
  return new CommandFailure(`Git has no ${word} at commit ${commit.slice(0, 12)}`, {
    code: exitCode.cluster,
    advice: [
      ...(nearest === undefined ? [] : [`Did you mean ${nearest}?`]),
      'The mirror removes the files of deleted objects, but older commits have them: use --revision, such as HEAD~1.',
    ],
  })
}
