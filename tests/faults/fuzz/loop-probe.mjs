import { createServer } from 'node:net'

// Loaded into the server beside its program. It measures the longest stretch of CPU time that the main thread spends
// between two turns of its event loop, which is what other requests wait for; CPU time, since other processes may hold
// up the clock. Each connection to the port that it logs gets the longest stretch and the peak memory since the last
// one, as a line of JSON.

let longest = 0
let peak = 0
let last = process.threadCpuUsage()

function beat() {
  const now = process.threadCpuUsage()
  const spent = (now.user + now.system - last.user - last.system) / 1000
  last = now
  if (spent > longest) longest = spent
  const rss = process.memoryUsage.rss()
  if (rss > peak) peak = rss
}

setInterval(beat, 2).unref()
const server = createServer((socket) => {
  beat()
  socket.on('error', () => undefined)
  socket.end(`${JSON.stringify({ longestMs: longest, peakBytes: peak })}\n`)
  longest = 0
  peak = 0
})
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`loop probe ${server.address().port}\n`)
})
server.unref()
