import { rm } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { decryptDocument, generateAgeKey } from '@agents/git'
import { SecretKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Team, TestBed, WatchRuleKind } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
}, 60_000)
afterAll(() => bed.stop())

const encryption = { provider: 'sops' as const, secretRef: { name: 'age' }, autoCreate: true }

/** Waits until the operator has compared all objects. */
async function untilCompared(target: string): Promise<void> {
  const state = () => bed.operator.components.mirrors.state(target)
  await until(() => state()?.snapshot.kind === 'completed' && state()?.isSyncing === false)
}

async function identityOf(team: Team): Promise<string> {
  const { data } = await bed.client.get(SecretKind, { namespace: team.namespace, name: 'age' })
  return Buffer.from(data?.['identity.agekey'] ?? '', 'base64')
    .toString('utf8')
    .trim()
}

test('without encryption Secrets are excluded, and the rule reports it', async () => {
  const team = await bed.team('plain', await bed.remote())
  await team.secret('password', { value: 'hunter2hunter2' })
  await team.configMap('a', {})
  await team.watch(['secrets', 'configmaps'])
  await team.isReady()
  await team.untilFiles((files) => team.path('configmaps', 'a') in files)
  expect(Object.keys(await team.files())).not.toContain(team.path('secrets', 'password'))
  await until(async () => {
    const { status } = await bed.client.get(WatchRuleKind, { namespace: 'plain', name: 'rule' })
    return status?.conditions?.some(({ reason }) => reason === 'EncryptionRequired')
  })
  expect((await team.target()).status?.encryption).toEqual({ mode: 'Disabled' })
})

test('Secrets are encrypted, change only with their values, and survive a restart without a commit', async () => {
  const team = await bed.team('sealed', await bed.remote(), { target: false })
  await team.secret('password', { value: 'hunter2hunter2', other: 'correct horse' })
  await team.configMap('a', { level: 'info' })
  await team.watch(['secrets', 'configmaps'])
  await team.createTarget({ encryption })
  await team.isReady()
  const path = team.path('secrets', 'password')
  await team.untilFiles((files) => path in files)
  const first = (await team.files())[path] ?? ''
  expect(first).toContain('ENC[AES256_GCM')
  const plain = await decryptDocument(first, [await identityOf(team)])
  expect(plain).toContain(Buffer.from('hunter2hunter2').toString('base64'))
  expect((await team.files())['cluster/.sops.yaml']).toContain('age1')
  // The key itself is not mirrored, although the rule selects all Secrets.
  expect(Object.keys(await team.files())).not.toContain(team.path('secrets', 'age'))

  const tip = await team.remote.tip('main')
  await until(async () => (await team.target()).status?.push?.lastCommit === tip)
  const before = { commits: await team.commits(), target: await team.target() }
  await bed.stopOperator()
  await bed.startOperator()
  await untilCompared('sealed/mirror')
  await team.isReady()
  expect(await team.commits()).toBe(before.commits)
  expect(await team.target()).toEqual(before.target)

  await team.configMap('a', { level: 'debug' })
  await team.untilFiles((files) => files[team.path('configmaps', 'a')]?.includes('debug') === true)
  expect((await team.files())[path]).toBe(first)
  await team.secret('password', { value: 'changed', other: 'correct horse' })
  await team.untilFiles((files) => files[path] !== first)
  const lineOf = (text: string): string | undefined => /other: .*/.exec(text)?.[0]
  expect(lineOf((await team.files())[path] ?? '')).toBe(lineOf(first))
})

test('copies of a Secret in its annotations do not reach the repository', async () => {
  const team = await bed.team('copied', await bed.remote(), { target: false })
  await team.secret('password', { value: 'hunter2hunter2' })
  const encoded = Buffer.from('hunter2hunter2').toString('base64')
  const copy = JSON.stringify({ kind: 'Secret', data: { value: encoded } })
  const annotations = {
    'kapp.k14s.io/original': copy,
    'objectset.rio.cattle.io/applied': gzipSync(copy).toString('base64'),
    'example.dev/note': 'kept',
  }
  const at = { name: 'password', namespace: 'copied' }
  await team.client.patch(SecretKind, at, { type: 'merge', body: { metadata: { annotations } } })
  await team.watch(['secrets'])
  await team.createTarget({ encryption })
  await team.isReady()
  const path = team.path('secrets', 'password')
  await team.untilFiles((files) => path in files)
  const text = (await team.files())[path] ?? ''
  expect(text).toContain('example.dev/note: kept')
  for (const leaked of [encoded, 'H4sI', 'kapp', 'rio.cattle']) expect(text).not.toContain(leaked)
})

test('with public keys alone, a restart without the state folder commits nothing', async () => {
  const { identity, recipient } = await generateAgeKey()
  const team = await bed.team('public', await bed.remote(), { target: false })
  await team.secret('password', { value: 'hunter2hunter2' })
  await team.secret('guessable', { value: '1234' })
  await team.watch(['secrets'])
  await team.createTarget({
    encryption: {
      provider: 'sops',
      recipients: [recipient],
      fingerprintRef: { name: 'fingerprint' },
      autoCreate: true,
    },
  })
  await team.isReady()
  const path = team.path('secrets', 'password')
  await team.untilFiles((files) => path in files && team.path('secrets', 'guessable') in files)
  expect(Object.keys(await team.files())).not.toContain(team.path('secrets', 'fingerprint'))
  expect(await decryptDocument((await team.files())[path] ?? '', [identity])).toContain('value:')
  const tip = await team.remote.tip('main')
  await bed.stopOperator()
  await rm(bed.stateDir, { recursive: true, force: true })
  await bed.startOperator()
  await untilCompared('public/mirror')
  expect(await team.remote.tip('main')).toBe(tip)
  // It still detects actual changes.
  await team.secret('password', { value: 'changed' })
  await team.untilFiles((files) => files[path]?.includes('ENC[') === true)
  await until(async () => (await team.remote.tip('main')) !== tip)
  const changed = await team.remote.git('diff', '--name-only', tip ?? '', 'main')
  expect(changed).toBe(path)
})

test('a recipient that is added can decrypt everything afterwards', async () => {
  const team = await bed.team('shared', await bed.remote(), { target: false })
  await team.secret('password', { value: 'hunter2hunter2' })
  await team.watch(['secrets'])
  await team.createTarget({ encryption })
  await team.isReady()
  const path = team.path('secrets', 'password')
  await team.untilFiles((files) => path in files)
  const recipient = 'age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg'
  await team.change({ encryption: { recipients: [recipient] } })
  await team.untilFiles((files) => files[path]?.includes(recipient) === true)
  expect((await team.files())['cluster/.sops.yaml']).toContain(recipient)
})

test('no value of a Secret is found outside of the cluster', async () => {
  const words = ['hunter2hunter2', 'correct horse'].flatMap((word) => [
    word,
    Buffer.from(word).toString('base64'),
  ])
  for (const word of words) expect(bed.log.join('')).not.toContain(word)
  expect(bed.log.join('')).not.toContain('AGE-SECRET-KEY')
})
