import { sameJson, stringifyJson } from '@agents/kube'
import { expect, test } from 'vitest'
import { changeFile } from '../../../services/gittarget/src/document/change-file.ts'
import type { JsonMap } from '../../../services/gittarget/src/document/json.ts'
import { writeManifest } from '../../../services/gittarget/src/document/write-manifest.ts'
import { buildGoReader, type GoAnswer, type GoReader } from './go-reader.ts'
import { HandWriter } from './hand-written.ts'
import { Random } from './random.ts'
import { mutated, randomObject } from './random-values.ts'

const situations = ['new', 'own', 'commented', 'moved', 'multi-document', 'list', 'json'] as const

type Situation = (typeof situations)[number]

/** A file, and the object of the cluster that is to be written to it. */
interface Case {
  readonly seed: number
  readonly situation: Situation
  readonly before: string | undefined
}

interface Edited extends Case {
  readonly object: JsonMap
  readonly after: string
  readonly isRewritten: boolean
  /** Whether only values of scalars changed. */
  readonly isValue: boolean
  readonly was: GoAnswer
}

const identity = { group: 'example.com', kind: 'Thing', namespace: 'team', name: 'app' }

/** Writes and edits files in every situation, and lets Go judge what they say. */
export function testManifests(total: number): void {
  test(`what Go reads is what the cluster has, in ${total} files`, async ({ skip }) => {
    const go = await buildGoReader()
    if (go === undefined) return skip('Go is not installed')
    const counts = await judge(go, total)
    for (const situation of situations) expect(counts.get(situation)).toBeGreaterThan(total / 20)
  })
}

/** Fails with the files that are wrong, or some of them. Returns the number of files by situation. */
async function judge(go: GoReader, total: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const problems: string[] = []
  for (let first = 0; first < total; first += batch) {
    const size = Math.min(batch, total - first)
    const cases = Array.from({ length: size }, (_none, at) => caseOf(first + at))
    const before = await go(cases.map((each) => each.before ?? ''))
    const edited = cases.map((each, at) => edit(each, before[at] ?? {}))
    const after = await go(edited.map((each) => each.after))
    for (const [at, each] of edited.entries()) {
      const now = after[at] ?? {}
      const problem = problemOf(each, now)
      if (problem !== undefined) problems.push(describeProblem(problem, each, now))
      const name = each.was.error === undefined ? each.situation : 'rejected by Go before'
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  if (problems.length > 0) {
    const shown = problems.slice(0, shownProblems).join('\n\n')
    throw new Error(`${problems.length} files are wrong, among them:\n${shown}`)
  }
  return counts
}

const shownProblems = 5
const batch = 2000

function caseOf(seed: number): Case {
  const random = new Random(seed)
  const situation = situations[seed % situations.length] as Situation
  const object = randomObject(random, 'app')
  const writer = new HandWriter(random)
  const others = ['first', 'last'].map((name) => randomObject(random, name))
  const [first = {}, last = {}] = others
  const texts: Record<Situation, () => string | undefined> = {
    new: () => undefined,
    own: () => writeManifest(object),
    commented: () => writer.document(object),
    moved: () => writer.document(withoutNamespace(object)),
    'multi-document': () =>
      [first, object, last]
        .map((each) => writer.document(each).trimEnd().replaceAll('\r\n', '\n'))
        .join(`\n---${random.pick(['', ' '])}\n`),
    list: () => writeManifest({ apiVersion: 'v1', kind: 'List', items: [first, object, last] }),
    json: () => stringifyJson(object, random.pick([0, 2, 4])),
  }
  return { seed, situation, before: texts[situation]() }
}

function withoutNamespace(object: JsonMap): JsonMap {
  const { namespace: _implied, ...metadata } = object.metadata as JsonMap
  return { ...object, metadata }
}

function edit(given: Case, was: GoAnswer): Edited {
  const random = new Random(given.seed + 1_000_000_007)
  const known = described(was, given.situation)
  const { object, isValue } = mutated(random, known ?? randomObject(random, 'app'))
  const { text, isRewritten } = changeFile(given.before, editOf(given, object))
  return {
    ...given,
    object,
    isValue: isValue && known !== undefined,
    after: text ?? '',
    isRewritten,
    was,
  }
}

function editOf({ situation }: Case, object: JsonMap) {
  const metadata = { ...(object.metadata as JsonMap), namespace: 'team' }
  return { identity, object: { ...object, metadata }, impliesNamespace: situation === 'moved' }
}

/** The object in a file, as Go reads it; undefined if it is not there. */
function described({ documents = [] }: GoAnswer, situation: Situation): JsonMap | undefined {
  const list = documents[0] as JsonMap | undefined
  const objects = (situation === 'list' ? list?.items : documents) as readonly JsonMap[] | undefined
  return objects?.find((each) => nameOf(each) === 'app')
}

function nameOf({ metadata }: JsonMap): unknown {
  return (metadata as JsonMap | undefined)?.name
}

function others({ documents = [] }: GoAnswer, situation: Situation): unknown {
  const list = documents[0] as JsonMap | undefined
  const objects = (situation === 'list' ? list?.items : documents) as readonly JsonMap[] | undefined
  return objects?.filter((each) => nameOf(each) !== 'app')
}

/** What is wrong with an edited file; undefined if nothing is. */
function problemOf(edited: Edited, now: GoAnswer): string | undefined {
  const { situation, before, after, was, object, isRewritten, isValue } = edited
  const wanted = situation === 'moved' ? withoutNamespace(object) : object
  if (now.error !== undefined) {
    // A file of several documents in which another one is rejected stays so.
    return was.error !== undefined && situation === 'multi-document'
      ? undefined
      : 'Go rejects the file'
  }
  if (!sameJson(described(now, situation), wanted)) return 'Go reads another object'
  if (changeFile(after, editOf(edited, object)).text !== after)
    return 'a second edit changes it again'
  const known = described(was, situation)
  if (known === undefined || before === undefined) return undefined
  if (!sameJson(others(was, situation), others(now, situation))) return 'another object changed'
  if (isRewritten) return 'the file was rewritten'
  // What readers disagree about is corrected at the first opportunity: characters that some take for line breaks, and
  // a block scalar at the end of a file without a final line break.
  const isClear =
    endsClearly.test(before) && !/[\u007f-\u009f\u2028\u2029\ufeff\ufffe]|\r(?!\n)/.test(before)
  const same = changeFile(before, editOf(edited, known)).text
  if (isClear && same !== before) return 'an equal object changes it'
  const lost = isValue && isClear ? notes(before).filter((note) => !after.includes(note)) : []
  return lost.length === 0 ? undefined : `lost comments: ${lost.join()}`
}

/** With a line break, or with the end of a flow map or of JSON, which is not the text of a block scalar. */
const endsClearly = /(?:\n|\n\}|^\{.*\}|(?:: |- )(?:&\w+ )?\{.*\})$/

function notes(text: string): string[] {
  return text.match(/# note-[0-9]+ of the owner: \{kept\}/g) ?? []
}

function describeProblem(
  problem: string,
  { seed, situation, ...edited }: Edited,
  now: GoAnswer,
): string {
  return [
    `${problem} (${situation}, seed ${seed})`,
    `before:\n${edited.before}`,
    `Go read: ${show(edited.was)}`,
    `cluster: ${show(edited.object)}`,
    `after:\n${edited.after}`,
    `Go reads: ${show(now)}`,
  ].join('\n\n')
}

function show(value: unknown): string {
  return stringifyJson(value)
}
