/**
 * Compares runs with bare Jobs on a real control plane where kwok completes the pods at once, so that only API server
 * and controllers work. The platform's limits are lifted and its admission policies installed, as the chart does.
 * `--objects=300 --seconds=10` is a short version.
 */
import { parseArgs } from 'node:util'
import { realClusterAvailable } from '../support/testbed/real-cluster.ts'
import { ensureKwok } from './peers/kwok.ts'
import { auditPeer, measurePeer, type PeerResult } from './peers/measures.ts'
import { comparison, controllersLine, type PeerFigures, throughputOf } from './peers/report.ts'
import { jobSubject, runSubject } from './peers/subject.ts'
import { processorTable, requestTable } from './runs/budget.ts'
import { alternate } from './runs/rounds.ts'
import { perMinute } from './runs/throughput.ts'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      /** Objects created at once, and run to completion. */
      objects: { type: 'string', default: '2000' },
      /** Objects created per second before those. Empty: none. */
      rates: { type: 'string', default: '4,8' },
      /** Seconds at each rate. */
      seconds: { type: 'string', default: '25' },
      /** Objects whose requests kube-apiserver audits. 0: none. */
      audited: { type: 'string', default: '200' },
      /** Runs and bare Jobs are measured alternately, this many times. */
      rounds: { type: 'string', default: '1' },
      /** A folder for CPU profiles of kube-apiserver. */
      profile: { type: 'string' },
    },
  })
  const available = await realClusterAvailable({})
  const kwok = available.available ? await ensureKwok() : undefined
  if (kwok === undefined) {
    console.log(`SKIPPED: ${available.available ? 'kwok needs Go to be built' : available.reason}`)
    return
  }
  const options = {
    kwok,
    objects: Number(values.objects),
    rates: values.rates.split(',').map(Number).filter(Boolean),
    seconds: Number(values.seconds),
    profile: values.profile,
  }
  const { ofFirst: ofRuns, ofSecond: ofJobs } = await alternate(
    Number(values.rounds),
    () => measurePeer(runSubject, options),
    () => measurePeer(jobSubject, options),
    (round, runs, jobs) =>
      console.log(
        `round ${round}: ${perMinuteOf(runs)} runs a minute, ${perMinuteOf(jobs)} bare Jobs`,
      ),
  )
  const audited = Number(values.audited)
  const runs: PeerFigures = {
    rounds: ofRuns,
    audited: audited > 0 ? await auditPeer(runSubject, kwok, audited) : undefined,
  }
  const jobs: PeerFigures = {
    rounds: ofJobs,
    audited: audited > 0 ? await auditPeer(jobSubject, kwok, audited) : undefined,
  }
  console.log(`\n${options.objects} objects at once, pods completed by kwok, limits lifted`)
  console.log(comparison(runs, jobs))
  console.log(controllersLine(runs))
  console.log(processorTable(throughputOf(runs), throughputOf(jobs)))
  if (runs.audited && jobs.audited) console.log(requestTable(runs.audited, jobs.audited))
}

function perMinuteOf({ throughput }: PeerResult): number {
  return perMinute(throughput.of, throughput.count)
}
