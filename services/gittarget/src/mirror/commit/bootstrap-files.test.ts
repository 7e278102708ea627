import { generateAgeKey } from '@agents/git'
import { describe, expect, test } from 'vitest'
import { bootstrapFiles, readmeName, sopsConfigName } from './bootstrap-files.ts'

const { recipient } = await generateAgeKey()
const { recipient: OTHER } = await generateAgeKey()

async function made(
  name: string,
  current?: string,
  { target = 'team/prod', recipients }: { target?: string; recipients?: readonly string[] } = {},
): Promise<string | undefined> {
  const change = bootstrapFiles(target, recipients).get(name)
  if (change === null || change === undefined || !('from' in change)) {
    throw new TypeError(`${name} is not made from what is there`)
  }
  return (await change.from(current === undefined ? undefined : Buffer.from(current)))?.toString()
}

describe('bootstrapFiles', () => {
  test('the README describes the current encryption', async () => {
    const plain = await made(readmeName)
    expect(plain).toContain('Secrets are not mirrored')
    const encrypting = await made(readmeName, plain, { recipients: [recipient] })
    expect(encrypting).toContain('Values of Secrets are encrypted')
    expect(await made(readmeName, encrypting)).toBe(plain)
    expect(await made(readmeName, plain, { target: 'team/next' })).toContain('`team/next`')
  })

  test.each([
    ['# Our cluster\n', 'a person wrote it'],
    ['The GitTarget `team/prod` is the one to ask about.\n', 'it only mentions a target'],
  ])('does not change the README %j, because %s', async (text) => {
    expect(await made(readmeName, text)).toBe(text)
  })

  test('does not change a generated README that was edited', async () => {
    const text = `${await made(readmeName)}\nAsk the platform team.\n`
    expect(await made(readmeName, text, { recipients: [recipient] })).toBe(text)
  })

  test('updates recipients, but does not change rules that a person wrote', async () => {
    const recipients = [recipient]
    const ours = await made(sopsConfigName, undefined, { recipients })
    expect(ours).toContain(recipient)
    expect(await made(sopsConfigName, ours?.replace(recipient, OTHER), { recipients })).toBe(ours)
    const theirs = `${ours}    unencrypted_suffix: _plain\n`
    expect(await made(sopsConfigName, theirs, { recipients })).toBe(theirs)
  })
})
