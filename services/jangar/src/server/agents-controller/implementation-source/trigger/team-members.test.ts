import type { ImplementationSource } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { teamMembers } from './team-members.ts'

const signal = new AbortController().signal

function at(ms: number): Date {
  return new Date(Date.UTC(2026, 10, 17) + ms)
}

function source(uid: string, generation = 1): ImplementationSource {
  return { metadata: { name: 's', uid, generation } } as unknown as ImplementationSource
}

/** A service that counts what it is asked. */
function service(answers: readonly (boolean | Error)[]) {
  const rest = [...answers]
  const asked: string[] = []
  const isTeamMember = async (team: string, { name }: { name: string }): Promise<boolean> => {
    asked.push(`${team} ${name}`)
    const next = rest.shift() ?? false
    if (next instanceof Error) throw next
    return next
  }
  return { asked, forge: { isTeamMember } }
}

const user = { name: 'operator', id: 1 }

test('somebody who left a team is a member no longer than a minute', async () => {
  const { asked, forge } = service([true, false])
  const isTeamMember = teamMembers()
  const ask = (ms: number) =>
    isTeamMember({ forge, source: source('u'), team: 'o/t', user, now: at(ms), signal })
  expect([await ask(0), await ask(59_999), await ask(60_000)]).toEqual([true, true, false])
  expect(asked).toHaveLength(2)
})

test.each([
  { because: 'another source', change: { source: source('v') } },
  { because: 'a changed source', change: { source: source('u', 2) } },
  { because: 'another team', change: { team: 'o/other' } },
  { because: 'another user', change: { user: { name: 'reader', id: 2 } } },
  { because: 'another user with the name', change: { user: { name: 'operator', id: 2 } } },
  {
    because: 'a user without an identifier',
    change: { user: { name: 'operator', id: undefined } },
  },
])('an answer does not hold for $because', async ({ change }) => {
  const { asked, forge } = service([true, false])
  const isTeamMember = teamMembers()
  const question = { forge, source: source('u'), team: 'o/t', user, now: at(0), signal }
  expect(await isTeamMember(question)).toBe(true)
  expect(await isTeamMember({ ...question, ...change })).toBe(false)
  expect(asked).toHaveLength(2)
})

test('an error is thrown, and asked for again', async () => {
  const { forge } = service([new Error('down'), true])
  const isTeamMember = teamMembers()
  const question = { forge, source: source('u'), team: 'o/t', user, now: at(0), signal }
  await expect(isTeamMember(question)).rejects.toThrow('down')
  expect(await isTeamMember(question)).toBe(true)
})

test('strangers cannot fill the memory', async () => {
  const { asked, forge } = service([])
  const isTeamMember = teamMembers()
  for (let id = 0; id < 3000; id++) {
    const stranger = { name: `stranger-${id}`, id }
    const question = { forge, source: source('u'), team: 'o/t', user: stranger, now: at(0), signal }
    await isTeamMember(question)
  }
  const first = { name: 'stranger-0', id: 0 }
  await isTeamMember({ forge, source: source('u'), team: 'o/t', user: first, now: at(0), signal })
  expect(asked).toHaveLength(3001)
})
