import { testWholeLoop } from './whole-loop.ts'

// What was done, though its answer was lost, is the harder half.
testWholeLoop(['after'])
