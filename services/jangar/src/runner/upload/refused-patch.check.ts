import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RepositoryPlan } from '../../run-contract/repository-plan.ts'
import { createHarness, shell, vcs } from '../testing/runner-harness.ts'
import { startUploadServer } from '../testing/upload-server.ts'

const secret = 'planted-secret-0123456789'
const token = `ghp${'_'}${'aB3d'.repeat(9)}`
const pem = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
const whole = { timeout: 240_000 }

/** What a run uploads whose work is refused. */
async function refused(script: string, plan: Partial<RepositoryPlan> = {}) {
  const harness = createHarness()
  const { received, env } = await startUploadServer(harness.root)
  harness.createRemote()
  const ran = await harness.run({
    run: { vcs: vcs(harness.remotes) },
    runner: { secretEnv: ['KEY'] },
    argv: shell(script),
    plan,
    env: { KEY: secret, ...env },
  })
  const all = [...received.values()].map(({ body }) => body)
  return { harness, ran, patch: received.get('refused.patch')?.body, all }
}

const workflow = 'mkdir -p .github/workflows; echo on-push > .github/workflows/ci.yml'

test('work that the push policy refuses is uploaded as a patch', whole, async () => {
  const { harness, ran, patch = '' } = await refused(`${workflow}; echo more >> README.md`)
  expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PushPolicyViolated' } })
  expect(ran.message?.message).toContain('the changes are kept as artifact demo-1')
  writeFileSync(join(harness.root, 'seed.patch'), patch)
  harness.git('seed', 'apply', '../seed.patch')
  expect(harness.read('seed/.github/workflows/ci.yml')).toBe('on-push\n')
  expect(harness.read('seed/README.md')).toBe('# App\nmore\n')
})

test.each([
  { because: 'a token', script: `echo "key=${token}" > conf.env`, leaks: token },
  {
    because: 'a token in the name of a file',
    script: `echo x > ${token}`,
    leaks: token,
  },
  {
    because: 'the value of a Secret',
    script: 'echo "$KEY" > conf.env',
    leaks: secret,
  },
  {
    because: 'the value of a Secret in base64',
    script: 'printf %s "$KEY" | base64 > conf.env',
    leaks: Buffer.from(secret).toString('base64').slice(0, 20),
  },
  {
    because: 'a private key, whose lines look like any text',
    script: `printf '%s\\n' '${pem}' MIIEvQIBADANBgkqhkiG9w0BAQEFAASC -----END- > conf.env`,
    leaks: 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  },
  {
    because: 'a token in a message and in an earlier commit',
    script: [
      `echo ${token} > conf.env; git add .; git -c user.name=a -c user.email=a@b commit -qm ${token}`,
      'rm conf.env',
    ].join('; '),
    leaks: token,
  },
])('a file is withheld with $because, and the others are kept', whole, async (row) => {
  const { ran, patch = '', all } = await refused(`${row.script}; echo more >> README.md`)
  expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PushPolicyViolated' } })
  expect(patch).toContain('+more\n')
  for (const text of [...all, JSON.stringify(ran.message), ran.stdout, ran.stderr]) {
    expect(text).not.toContain(row.leaks)
  }
})

test('a patch says what it lacks', whole, async () => {
  const { patch = '' } = await refused(`echo ${token} > conf.env; echo more >> README.md`)
  expect(patch).toContain('# not kept: conf.env contains a token of GitHub\n')
})

test('a large change is kept as far as there is room', whole, async () => {
  const lines = 'seq 1 2000000 > big.txt'
  const { patch = '' } = await refused(`${workflow}; ${lines}`)
  expect(patch).toContain('+on-push\n')
  expect(patch.endsWith('# not kept: the rest, since the changes are too large\n')).toBe(true)
  expect(patch.length).toBeLessThan(10 * 1024 * 1024)
})

test(
  'work that is pushed is not uploaded, and neither is work with the credential',
  whole,
  async () => {
    const pushed = await refused('echo more >> README.md')
    expect([pushed.ran.message?.vcs?.pushed, pushed.patch]).toEqual([true, undefined])
    expect(pushed.all.length).toBeGreaterThan(0)
  },
)
