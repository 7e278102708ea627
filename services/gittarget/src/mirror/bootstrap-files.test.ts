import { generateAgeKey } from '@agents/git'
import { describe, expect, test } from 'vitest'
import { bootstrapFiles, README, SOPS_CONFIG } from './bootstrap-files.ts'

const { recipient: RECIPIENT } = await generateAgeKey()
const { recipient: OTHER } = await generateAgeKey()

const made = async (
  name: string,
  current?: string,
  { target = 'team/prod', recipients }: { target?: string; recipients?: readonly string[] } = {},
): Promise<string | undefined> => {
  const change = bootstrapFiles(target, recipients).get(name)
  if (typeof change !== 'function') throw new TypeError(`${name} is not made from what is there`)
  return (await change(current === undefined ? undefined : Buffer.from(current)))?.toString()
}

describe('bootstrapFiles', () => {
  test('the README says how it is now', async () => {
    const plain = await made(README)
    expect(plain).toContain('Secrets are not mirrored')
    const encrypting = await made(README, plain, { recipients: [RECIPIENT] })
    expect(encrypting).toContain('Values of Secrets are encrypted')
    expect(await made(README, encrypting)).toBe(plain)
    expect(await made(README, plain, { target: 'team/next' })).toContain('`team/next`')
  })

  test.each([
    ['# Our cluster\n', 'it is somebody’s own'],
    ['The GitTarget `team/prod` is the one to ask about.\n', 'it only speaks of a target'],
  ])('leaves the README %j, because %s', async (text) => {
    expect(await made(README, text)).toBe(text)
  })

  test('leaves one of ours that somebody added to', async () => {
    const text = `${await made(README)}\nAsk the platform team.\n`
    expect(await made(README, text, { recipients: [RECIPIENT] })).toBe(text)
  })

  test('names new recipients, but leaves rules that somebody wrote', async () => {
    const recipients = [RECIPIENT]
    const ours = await made(SOPS_CONFIG, undefined, { recipients })
    expect(ours).toContain(RECIPIENT)
    expect(await made(SOPS_CONFIG, ours?.replace(RECIPIENT, OTHER), { recipients })).toBe(ours)
    const theirs = `${ours}    unencrypted_suffix: _plain\n`
    expect(await made(SOPS_CONFIG, theirs, { recipients })).toBe(theirs)
  })
})
