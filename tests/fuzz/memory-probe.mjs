// Loaded into the server beside its program: on SIGUSR2 it collects garbage and says what is left.
process.on('SIGUSR2', () => {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.stderr.write(`living bytes ${heapUsed + external}\n`)
})
