// Run by "helm test": is everything that TARGETS names there? http://… must answer 200, tcp://… must accept a connection.
import { connect } from 'node:net'

const deadline = Date.now() + Number(process.env.TIMEOUT_SECONDS) * 1000
let failed = false
for (const target of process.env.TARGETS.split(' ')) {
  const url = new URL(target)
  const problem = await untilFine(() => (url.protocol === 'tcp:' ? dial(url) : get(url)))
  console.log(`${problem === undefined ? 'ok' : `FAILED (${problem})`} ${target}`)
  if (problem !== undefined) failed = true
}
process.exit(failed ? 1 : 0)

async function untilFine(ask) {
  for (;;) {
    const problem = await ask().catch((error) => String(error.cause ?? error.message))
    if (problem === undefined || Date.now() >= deadline) return problem
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function get(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
  return response.ok ? undefined : `status ${response.status}`
}

function dial({ hostname, port }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: 5000 }, () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.on('timeout', () => socket.destroy(new Error('no answer in 5 s')))
    socket.on('error', reject)
  })
}
