import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBed, until } from '../gittarget/test-bed.ts'
import { untilEqual } from './branch-contents.ts'

const run = promisify(execFile)

/** `npm run bench -- gittarget` does the same with 10,000. */
const OBJECTS = 600
const SECRETS = OBJECTS / 10

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
})
afterAll(() => bed.stop())

test(`a restart with ${OBJECTS} objects, ${SECRETS} of them Secrets: no commit, and live again`, async () => {
  await bed.startOperator()
  const team = await bed.team('many', await bed.remote(), {
    target: {
      encryption: { provider: 'sops', secretRef: { name: 'age' }, autoCreate: true },
    } as never,
  })
  for (let index = 0; index < OBJECTS; index += 1) {
    if (index < SECRETS) await team.secret(`s${index}`, { password: `hunter2-${index}` })
    else await team.configMap(`c${index}`, { text: 'x'.repeat(1000) })
  }
  await team.watch(['configmaps', 'secrets'])
  await team.isReady()
  await untilEqual(team)
  const before = { tip: await team.remote.tip('main'), commits: await team.commits() }
  // With and without what it kept.
  for (const wipe of [false, true]) {
    await bed.stopOperator()
    if (wipe) await rm(bed.stateDir, { recursive: true, force: true })
    await bed.startOperator()
    await until(
      () => bed.operator.world.mirrors.state('many/mirror')?.snapshot.kind === 'completed',
    )
    await team.isReady()
    expect(await team.remote.tip('main')).toBe(before.tip)
  }
  await team.configMap('c100', { text: 'y' })
  await untilEqual(team)
  expect(await team.commits()).toBe(before.commits + 1)
  await bed.stopOperator()
})

test('a full disk is told, waited out, and nothing is lost', async ({ skip }) => {
  await bed.stopOperator()
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', bed.stateDir]).then(
    () => true,
    () => false,
  )
  if (!mounted) {
    process.stderr.write('SKIPPED: no small file system can be mounted here\n')
    return skip()
  }
  try {
    await bed.startOperator()
    const team = await bed.team('full', await bed.remote(), { resources: ['configmaps'] })
    await team.configMap('a', { version: '1' })
    await team.isReady()
    const filler = join(bed.stateDir, 'filler')
    await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k', 'count=2000']).catch(() => undefined)
    // Random, so that it does not compress.
    const text = Array.from({ length: 40_000 }, () => Math.random().toString(36)).join('\n')
    await team.configMap('large', { text })
    await until(async () => (await team.target()).status?.push?.lastError !== undefined)
    await rm(filler)
    await untilEqual(team)
    await team.isReady()
  } finally {
    await bed.stopOperator()
    await run('umount', [bed.stateDir])
  }
})
