import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import { TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

const run = promisify(execFile)

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
})
afterAll(() => bed.stop())

test('a full disk is reported and retried, and nothing is lost', async ({ skip }) => {
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
