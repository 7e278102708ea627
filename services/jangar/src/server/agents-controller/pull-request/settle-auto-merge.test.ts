import { type AutoMerge, type Forge, ForgeError, type PullRequest } from '@agents/forge'
import type { AgentRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { withOwnSection } from './own-section.ts'
import { settleAutoMerge } from './settle-auto-merge.ts'

const uid = '11111111-1111-4111-8111-111111111111'
const finishedAt = '2026-01-01T00:00:00Z'
type Status = Awaited<ReturnType<typeof settleAutoMerge>>

const pull: PullRequest = {
  ...{ number: 7, url: 'https://h/7', state: 'open', draft: false, title: 't', head: 'agents/a' },
  ...{ body: withOwnSection('', { uid, text: 'b' }), base: 'main', commit: 'c0ffee' },
}

function runWith(autoMerge: Status, vcs: object = {}): AgentRun {
  return {
    metadata: { name: 'r', namespace: 'n', uid },
    status: {
      finishedAt,
      vcs: {
        ...{ repository: 'o/r', commit: 'c0ffee', autoMerge: true, ...vcs },
        pullRequest: { state: 'Open', number: 7, ...(autoMerge && { autoMerge }) },
      },
    },
  } as unknown as AgentRun
}

/** A service that remembers that it was asked. `lost` answers are those of requests that were carried out. */
function service(look: AutoMerge | ForgeError, refusal?: ForgeError) {
  let asked = 0
  let isOn = false
  const forge = {
    autoMerge: async () => {
      if (isOn) return { state: 'enabled' }
      if (look instanceof ForgeError) throw look
      return look
    },
    enableAutoMerge: async () => {
      if (refusal === undefined || refusal.message === 'lost') {
        asked++
        isOn = true
      }
      if (refusal !== undefined) throw refusal
    },
  } as unknown as Forge
  return { forge, asked: () => asked, turnOff: () => (isOn = false) }
}

interface Change {
  readonly before?: Status
  readonly vcs?: object
  readonly pull?: Partial<PullRequest>
  readonly isWanted?: boolean
}

function settle(forge: Forge, { before, vcs, pull: change, isWanted = true }: Change = {}) {
  return settleAutoMerge({
    ...{ run: runWith(before, vcs), pull: { ...pull, ...change }, forge, isWanted },
    merging: async () => forge,
    signal: new AbortController().signal,
  })
}

const possible: AutoMerge = { state: 'possible' }

describe('merging automatically', () => {
  test('is asked for once', async () => {
    const { forge, asked } = service(possible)
    const first = await settle(forge)
    expect(first).toEqual({ state: 'Enabled' })
    expect(await settle(forge, { before: first })).toEqual({ state: 'Enabled' })
    expect(asked()).toBe(1)
  })

  test('is neither lost nor asked for twice after a crash', async () => {
    const { forge, asked } = service(possible, new ForgeError('unreachable', 'lost'))
    expect(await settle(forge)).toEqual({ state: 'Waiting', message: 'lost' })
    // The status was not written either.
    expect(await settle(forge)).toEqual({ state: 'Enabled' })
    expect(asked()).toBe(1)
  })

  test('stays off after somebody turned it off', async () => {
    const { forge, asked, turnOff } = service(possible)
    const first = await settle(forge)
    turnOff()
    const second = await settle(forge, { before: first })
    expect(second).toMatchObject({ state: 'Disabled' })
    expect(await settle(forge, { before: second })).toMatchObject({ state: 'Disabled' })
    expect(asked()).toBe(1)
  })

  test('stays off if it was turned off after a crash, where the service tells', async () => {
    const { forge, asked } = service({ ...possible, disabledAt: new Date('2026-01-01T00:00:01Z') })
    expect(await settle(forge)).toMatchObject({ state: 'Disabled' })
    expect(asked()).toBe(0)
  })

  test('is asked for again for what a later run pushed', async () => {
    const { forge, asked } = service({ ...possible, disabledAt: new Date('2025-12-31T23:59:59Z') })
    expect(await settle(forge)).toEqual({ state: 'Enabled' })
    expect(asked()).toBe(1)
  })

  test.each<Change & { because: string; expected: string }>([
    { because: 'others pushed', pull: { commit: 'beef' }, expected: 'NotAllowed' },
    { because: 'the commit is not known', vcs: { commit: undefined }, expected: 'NotAllowed' },
    { because: 'a person opened it', pull: { body: 'Mine.' }, expected: 'NotAllowed' },
    { because: 'it is a draft', pull: { draft: true }, expected: 'Waiting' },
    {
      because: 'the provider no longer wants it',
      before: { state: 'Waiting' },
      isWanted: false,
      expected: 'NotAllowed',
    },
  ])('is not asked for: $because', async ({ because: _, expected, ...change }) => {
    const { forge, asked } = service(possible)
    expect(await settle(forge, change)).toMatchObject({
      ...{ state: expected, message: expect.any(String) },
    })
    expect(asked()).toBe(0)
  })

  test.each<Change & { because: string }>([
    { because: 'the provider does not want it', isWanted: false },
    { because: 'it did not when the run got its push policy', vcs: { autoMerge: undefined } },
    { because: 'it is merged', pull: { state: 'merged' } },
  ])('is not mentioned: $because', async ({ because: _, ...change }) => {
    const { forge, asked } = service(possible)
    expect(await settle(forge, change)).toBeUndefined()
    expect(asked()).toBe(0)
  })

  test.each([
    { look: { state: 'not-allowed', why: 'nothing required' } as const, expected: 'NotAllowed' },
    { look: { state: 'waiting', why: 'no pipeline' } as const, expected: 'Waiting' },
    { look: { state: 'unsupported', why: 'never' } as const, expected: 'Unsupported' },
  ])('says why it is $expected, and asks for nothing', async ({ look, expected }) => {
    const { forge, asked } = service(look)
    expect(await settle(forge)).toEqual({ state: expected, message: look.why })
    expect(asked()).toBe(0)
  })

  test.each([
    { problem: 'forbidden', expected: { state: 'NotAllowed', message: 'm' } },
    { problem: 'invalid', expected: { state: 'NotAllowed', message: 'm' } },
    { problem: 'conflict', expected: { state: 'Waiting', message: 'm' } },
  ] as const)('that is refused ($problem) fails nothing', async ({ problem, expected }) => {
    const { forge } = service(possible, new ForgeError(problem, 'm'))
    expect(await settle(forge)).toEqual(expected)
  })

  test('stays known while the service is not reachable', async () => {
    const { forge } = service(new ForgeError('unreachable', 'm'))
    expect(await settle(forge, { before: { state: 'Enabled' } })).toEqual({ state: 'Enabled' })
    const limited = service(new ForgeError('rate-limited', 'm'))
    await expect(settle(limited.forge)).rejects.toThrow('m')
  })
})
