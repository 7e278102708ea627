import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  compare,
  enterRun,
  type Ledger,
  newLedger,
} from '../../../packages/apiserver/src/store/testing/crash-ledger.ts'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { isFull } from '../../support/tier.ts'
import { watchFrom } from './watcher.ts'
import { readContents, startLoad } from './write-load.ts'

const kills = isFull ? 200 : 16
/** Independent servers with separate data, so that two cores are used. */
const lanes = ['first', 'second']

describe('a server that is killed under load', () => {
  test.concurrent.each(lanes)('keeps what it acknowledged (%s)', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'agents-crash-'))
    const ledger = newLedger()
    const outcomes = { acknowledged: 0, resumed: 0, expired: 0 }
    let seen = 0
    for (let run = 0; run < kills / lanes.length; run++) {
      const before = ledger.acknowledged
      seen = await liveAndDie(dataDir, ledger, run, seen, outcomes)
      outcomes.acknowledged += ledger.acknowledged - before
    }
    await rm(dataDir, { recursive: true, force: true })
    expect(outcomes.acknowledged).toBeGreaterThan(kills)
    // A watch must either resume or report that its revision has expired.
    expect(outcomes.resumed + outcomes.expired).toBe(kills / lanes.length)
  })
})

/**
 * Starts the server, verifies what the previous run left, and applies load until the kill. Returns the highest revision
 * seen.
 */
async function liveAndDie(
  dataDir: string,
  ledger: Ledger,
  run: number,
  seen: number,
  outcomes: { resumed: number; expired: number },
): Promise<number> {
  const server = await startEmbeddedServer({ dataDir })
  try {
    const { contents, revision } = await readContents(server)
    expect(compare(ledger, contents), `after kill ${run}`).toEqual([])
    expect(revision).toBeGreaterThanOrEqual(Math.max(ledger.revision, seen))
    const resumed = await watchFrom(server, seen === 0 ? revision : seen)
    const watcher = await watchFrom(server, revision)
    const load = await startLoad(server, run, contents)
    // Every other run waits for acknowledged writes, so that it has something to lose even on a slow machine.
    const acknowledged = () => load.lines.filter(({ type }) => type === 'acknowledged').length
    while (run % 2 === 1 && acknowledged() < 5 && load.faults.length === 0) await sleep(5)
    // Varies the moment of the kill: before the first commit, in the middle of one, or during a checkpoint of the log.
    await sleep((run * 37) % 190)
    await server.stop('SIGKILL')
    await load.ended
    enterRun(ledger, load.lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect([...load.faults, ...watcher.faults, ...resumed.faults]).toEqual([])
    outcomes[resumed.expired() ? 'expired' : 'resumed']++
    watcher.close()
    resumed.close()
    return Math.max(revision, watcher.revision(), resumed.revision())
  } finally {
    await server.stop('SIGKILL')
  }
}
