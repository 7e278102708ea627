import { expect, test } from 'vitest'
import { comparison, controllersLine, type PeerFigures } from './report.ts'

const runs: PeerFigures = {
  rounds: [
    {
      throughput: {
        count: 100,
        of: { wallMs: 5_000, times: { 'kube-apiserver': 6_000, controllers: 900 } },
      },
      allocatedBytes: 100 * 2 ** 20,
      latencies: new Map([[4, [10, 20, 30].map(podAfter)]]),
    },
    {
      throughput: {
        count: 100,
        of: { wallMs: 7_000, times: { 'kube-apiserver': 8_000, controllers: 1_100 } },
      },
      allocatedBytes: 300 * 2 ** 20,
      latencies: new Map([[4, [40, 50].map(podAfter)]]),
      controllers: { rss: 90 * 2 ** 20, heapUsed: 30 * 2 ** 20, cpuMs: 4_000 },
    },
  ],
  audited: { count: 1, of: Array.from({ length: 21 }, () => audited('agentruns')) },
}

const jobs: PeerFigures = {
  rounds: [
    {
      throughput: { count: 100, of: { wallMs: 3_000, times: { 'kube-apiserver': 2_500 } } },
      allocatedBytes: 50 * 2 ** 20,
      latencies: new Map([[4, [5, 6, 8].map(podAfter)]]),
    },
  ],
  audited: { count: 1, of: Array.from({ length: 12 }, () => audited('jobs')) },
}

test('the comparison takes all rounds together', () => {
  expect(cells(comparison(runs, jobs))).toEqual([
    ['run', 'bare Job', 'ratio'],
    ['finished per minute', '1000', '2000', '0.50'],
    ['kube-apiserver CPU, ms each', '70.0', '25.0', '2.80'],
    ['kube-apiserver allocations, KiB each', '2048', '512', '4.00'],
    ['requests each', '21.0', '12.0', '1.75'],
    ['create → answered at 4 a second, p50, ms', '15.0', '3.0', '5.00'],
    ['create → job at 4 a second, p50, ms', '20.0', '4.0', '5.00'],
    ['create → pod at 4 a second, p50, ms', '30.0', '6.0', '5.00'],
    ['create → answered at 4 a second, p99, ms', '25.0', '4.0', '6.25'],
    ['create → job at 4 a second, p99, ms', '33.3', '5.3', '6.25'],
    ['create → pod at 4 a second, p99, ms', '50.0', '8.0', '6.25'],
  ])
  expect(controllersLine(runs).trim()).toBe(
    'controllers: 10.0 ms of CPU per run, 90 MiB resident, of it 30 MiB of heap',
  )
})

test('the comparison shows that requests were not audited', () => {
  const withoutAudit = { ...jobs, audited: undefined }
  expect(cells(comparison(withoutAudit, withoutAudit))).toContainEqual([
    'requests each',
    '-',
    '-',
    '-',
  ])
})

function cells(table: string): string[][] {
  return table.split('\n').map((line) => line.trim().split(/ {2,}/))
}

function audited(resource: string) {
  return { verb: 'create', userAgent: 'agents', objectRef: { resource } }
}

function podAfter(pod: number) {
  return { answered: pod / 2, job: (pod * 2) / 3, pod }
}
