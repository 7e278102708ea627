/**
 * Compares runs with bare Jobs, and with `--argo` with Workflows of Argo, on a real control plane where kwok completes
 * the pods at once, so that only API server and controllers work. Limits are lifted on all sides, and the platform's
 * admission policies installed, as the chart does. `--objects=300 --seconds=10` is a short version.
 */
import { parseArgs } from 'node:util'
import type { KubeObject } from '@agents/kube'
import { realClusterAvailable } from '../support/testbed/real-cluster.ts'
import { ensureArgo } from './peers/argo.ts'
import { ensureKwok } from './peers/kwok.ts'
import { auditPeer, measurePeer, type PeerResult } from './peers/measures.ts'
import { comparison, controllersLine, type PeerFigures, throughputOf } from './peers/report.ts'
import { jobSubject, runSubject, type Subject, workflowSubject } from './peers/subject.ts'
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
      /** Whether Workflows of Argo are measured, too. Their controller is built at first use. */
      argo: { type: 'boolean', default: false },
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
  const argo = values.argo ? await ensureArgo() : undefined
  const workflows = argo && workflowSubject(argo)
  const { ofFirst, ofSecond } = await alternate(
    Number(values.rounds),
    () => measurePeer(runSubject, options),
    async () => ({
      jobs: await measurePeer(jobSubject, options),
      workflows: workflows && (await measurePeer(workflows, options)),
    }),
    (round, runs, others) =>
      console.log(
        `round ${round}: ${perMinuteOf(runs)} runs a minute, ${perMinuteOf(others.jobs)} bare Jobs`,
      ),
  )
  const audited = Number(values.audited)
  const figures = async <T extends KubeObject>(
    subject: Subject<T>,
    rounds: readonly PeerResult[],
  ): Promise<PeerFigures> => ({
    rounds,
    audited: audited > 0 ? await auditPeer(subject, kwok, audited) : undefined,
  })
  const runs = await figures(runSubject, ofFirst)
  const ofJobs = ofSecond.map(({ jobs }) => jobs)
  const jobs = await figures(jobSubject, ofJobs)
  console.log(`\n${options.objects} objects at once, pods completed by kwok, limits lifted`)
  print(runs, jobs, jobSubject.name)
  console.log(controllersLine(runs))
  if (workflows === undefined) return
  const ofWorkflows = ofSecond.flatMap((others) => others.workflows ?? [])
  print(runs, await figures(workflows, ofWorkflows), workflows.name)
}

function print(runs: PeerFigures, others: PeerFigures, name: string): void {
  console.log(comparison(runs, others, name))
  console.log(processorTable(throughputOf(runs), throughputOf(others), name))
  if (runs.audited && others.audited) {
    console.log(requestTable(runs.audited, others.audited, name))
  }
}

function perMinuteOf({ throughput }: PeerResult): number {
  return perMinute(throughput.of, throughput.count)
}
