#!/usr/bin/env node
import { runBridge } from '../runner/mcp/bridge/run-bridge.ts'

const [path, server] = process.argv.slice(2)
const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort())
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    // The CLI closed it, and ends the server by other means.
  })
}

if (path === undefined || server === undefined) {
  process.stderr.write('mcp-bridge: started by agent CLIs that agent-runner runs\n')
  process.exitCode = 64
} else {
  const { stdin: input, stdout: output, stderr: errors } = process
  process.exitCode = await runBridge(path, server, { input, output, errors }, stop)
  // The CLI may keep its end open.
  input.destroy()
}
