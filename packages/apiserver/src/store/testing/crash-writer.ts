import { writeSync } from 'node:fs'
import type { KubeObject } from '@agents/kube'
import { openDurableStore } from '../durable-store.ts'
import type { LedgerLine } from './crash-ledger.ts'

// Writes to the store in the directory of the first argument until it is killed. Reports each write before it starts
// and when it is acknowledged as a line of JSON on standard output, which must be a file, since a pipe may be full. The
// second argument makes the values of this run unique.

const clients = 16
const keysPerClient = 4

const [directory = '', run = ''] = process.argv.slice(2)
const store = await openDurableStore({ directory })
say({ type: 'opened', revision: store.revision })
await Promise.all(Array.from({ length: clients }, (_, client) => writeForever(client)))

async function writeForever(client: number): Promise<never> {
  for (let n = 0; ; n++) {
    // One client per key, so that each key has at most one pending write.
    const key = `/g/r/ns/${client}-${n % keysPerClient}`
    const token = n % 7 === 3 ? null : `${run}-${client}-${n}-${'x'.repeat((n * 37) % 3000)}`
    say({ type: 'begun', key, token })
    const { revision } = await store.write(key, () =>
      token === null ? 'delete' : { value: object(token) },
    )
    say({ type: 'acknowledged', key, revision })
  }
}

// Synchronous, so that every acknowledged write is reported before the process is killed.
function say(line: LedgerLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

function object(token: string): KubeObject {
  return { apiVersion: 'g/v1', kind: 'Thing', metadata: { name: 'x' }, spec: { token } }
}
