import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '@agents/crd'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  type Answer,
  type Body,
  type Client,
  connect,
  type Method,
  type SendOptions,
} from './client.ts'
import { compare } from './compare.ts'
import { isDifferent } from './differences.ts'
import { type Comparable, normalise, type Replacements } from './normalise.ts'
import type { Subject } from './subject.ts'
import { until200 } from './until-200.ts'

export interface Suite {
  readonly subject: Subject
  readonly client: Client
  /** A namespace for this file, the same on every subject. */
  readonly namespace: string
  /** The API group of this file for custom resources. */
  readonly group: string
  /**
   * One behaviour: the answers, after `normalise`, must equal those recorded from the real server, on every subject.
   * The last answer must have `code`.
   */
  same(because: string, code: number, ask: () => Ask, replacements?: Replacements): void
  /** `same` for many single requests; `pick` selects the parts of an answer that are compared. */
  sameEach(rows: readonly Row[], pick?: (answer: Answer) => Answer): void
}

type Ask = Promise<Answer | readonly Answer[]>

/** A title, the code of the answer, and the request. */
export type Row = readonly [
  because: string,
  code: number,
  method: Method,
  path: string,
  body?: Body,
  options?: SendOptions,
]

/** Defines the same tests for each subject of the run. */
export function conformance(name: string, define: (suite: Suite) => void): void {
  const recording = inject('recording')
  const answers = recordedAnswers(name, recording)
  describe.each(inject('subjects'))(`${name} on the $name server`, (subject) => {
    const client = connect(subject, subject.adminToken)
    const namespace = `conformance-${name}`
    beforeAll(async () => {
      await makeNamespace(client, namespace)
    })
    afterAll(() => {
      client.close()
      if (recording) answers.save()
    })
    const same: Suite['same'] = (because, code, ask, replacements) => {
      test(because, async () => {
        const asked = await ask()
        const got = normalise(Array.isArray(asked) ? asked : [asked as Answer], replacements)
        if (recording) answers.put(because, got)
        const unlike = compare(answers.get(because), got)
        if (isDifferent(subject.name, name, because)) {
          expect(unlike, 'the difference no longer exists').not.toEqual([])
          return
        }
        expect(unlike.length, unlike.join('\n')).toBe(0)
        expect(got.at(-1)?.code).toBe(code)
      })
    }
    const sameEach: Suite['sameEach'] = (rows, pick = (answer) => answer) => {
      for (const [because, code, ...request] of rows) {
        same(because, code, async () => pick(await client.send(...request)))
      }
    }
    define({ subject, client, namespace, group: `${name}.example.dev`, same, sameEach })
  })
}

async function makeNamespace(client: Client, name: string): Promise<void> {
  const answer = await client.send('POST', '/api/v1/namespaces', { metadata: { name } })
  expect(answer.code, answer.text).toBe(201)
  // Every namespace gets them a moment after its creation.
  for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
    await until200(client, `/api/v1/namespaces/${name}/${path}`)
  }
}

interface RecordedAnswers {
  get(because: string): readonly Comparable[] | undefined
  put(because: string, answers: readonly Comparable[]): void
  save(): void
}

// Only the real server writes the files of answers; the title of a case is its key.
function recordedAnswers(name: string, recording: boolean): RecordedAnswers {
  const path = join(import.meta.dirname, 'generated', `${name}.json`)
  const known: Record<string, readonly Comparable[]> = recording
    ? {}
    : JSON.parse(readFileSync(path, 'utf8'))
  return {
    get: (because) => known[because],
    put: (because, answers) => {
      if (because in known) throw new Error(`two cases are called "${because}"`)
      // Converted to JSON, so that the same data is compared as is recorded.
      known[because] = JSON.parse(JSON.stringify(answers)) as Comparable[]
    },
    save: () => writeFileSync(path, `${JSON.stringify(known, undefined, 1)}\n`),
  }
}

/** The value at a dotted path in an answer's body. Numbers index lists. */
export function valueAt(answer: Answer, path: string): Json | undefined {
  let value: Json | undefined = answer.body
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as { [key: string]: Json })[part]
  }
  return value
}

export function stringAt(answer: Answer, path: string): string {
  const value = valueAt(answer, path)
  if (typeof value !== 'string') throw new Error(`no text at ${path} of ${answer.text}`)
  return value
}

/** For objects whose status is filled in gradually: the object without its status. */
export function withoutStatus(answer: Answer): Answer {
  const { body } = answer
  if (answer.code >= 400 || typeof body !== 'object' || body === null) return answer
  const { status: _, ...rest } = body as { [key: string]: Json }
  return { ...answer, body: rest }
}
