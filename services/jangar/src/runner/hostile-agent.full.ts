import { testEndlessOutput } from './testing/endless-output.ts'

// All of it is passed on in little memory.
testEndlessOutput({
  mebibytes: 1024,
  conversations: 150_000,
  most: { bytes: 400, conversations: 250 },
})
