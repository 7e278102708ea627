// Preloaded into the server: on SIGUSR2 it collects garbage and logs the memory in use.
process.on('SIGUSR2', () => {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.stderr.write(`living bytes ${heapUsed + external}\n`)
})
