import { testHelmTest } from './helm-test.ts'

testHelmTest('4')
