/**
 * The program that crash.check.ts kills: it mirrors numbered files, and after a restart continues from the contents of
 * the branch.
 */
import { silentLogger } from '@agents/log'
import { BranchWorker } from '../../../packages/git/src/branch-worker/branch-worker.ts'

const [url = '', directory = '', count = '0'] = process.argv.slice(2)
const worker = new BranchWorker({
  connection: { url, credentials: { kind: 'none' }, allow: { file: true } },
  branch: 'main',
  directory,
  committer: { name: 'mirror', email: 'mirror@example.test' },
  log: silentLogger,
})
for (let index = 1; index <= Number(count); index += 1) {
  const { commit } = await worker.apply({
    owner: 'target',
    changes: new Map([[`folder/${index}`, Buffer.from(`${index}\n`)]]),
    message: () => `write ${index}`,
  })
  process.stdout.write(`${index} ${commit}\n`)
}
await worker.close()
