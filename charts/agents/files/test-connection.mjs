// Run by "helm test": is everything that TARGETS names there? http://… must answer 200, grpc://… must say that it serves.
import { connect } from 'node:http2'

const deadline = Date.now() + Number(process.env.TIMEOUT_SECONDS) * 1000
let failed = false
for (const target of process.env.TARGETS.split(' ')) {
  const url = new URL(target)
  const problem = await untilFine(() => (url.protocol === 'grpc:' ? check(url) : get(url)))
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

// grpc.health.v1.Health/Check of the server as a whole, without a library: an empty message there, one field back.
function check({ host }) {
  const session = connect(`http://${host}`)
  const answer = new Promise((resolve, reject) => {
    session.on('error', reject)
    session.setTimeout(5000, () => reject(new Error('no answer in 5 s')))
    const path = '/grpc.health.v1.Health/Check'
    const type = { 'content-type': 'application/grpc', te: 'trailers' }
    const stream = session.request({ ':method': 'POST', ':path': path, ...type })
    let status
    let message = ''
    const note = (head) => (status = head['grpc-status'] ?? status)
    stream.on('response', note).on('trailers', note).on('error', reject)
    stream.setEncoding('hex').on('data', (bytes) => (message += bytes))
    stream.on('end', () => {
      if (status !== '0') resolve(`gRPC status ${status}`)
      else resolve(message === '00000000020801' ? undefined : 'not serving')
    })
    stream.end(Buffer.alloc(5))
  })
  return answer.finally(() => session.destroy())
}
