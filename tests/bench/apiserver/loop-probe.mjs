// Preloaded into the server: on SIGUSR2 it reports the longest time that the event loop was blocked since the last
// report, in CPU time of the thread, so that waiting for a busy machine is not counted.

let longest = 0
let last = used()

function used() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

setInterval(() => {
  const now = used()
  longest = Math.max(longest, now - last)
  last = now
}, 1).unref()

process.on('SIGUSR2', () => {
  process.stderr.write(`longest block ${longest.toFixed(1)}\n`)
  longest = 0
})
