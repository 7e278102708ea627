// Loaded into the server beside its program: on SIGUSR2 it says how long the event loop was held at most since the last
// time. In processor time of the thread, so that a busy machine that lets it wait is not taken for a long computation.

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
