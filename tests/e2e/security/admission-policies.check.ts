import { describeAdmission } from './admission-suite.ts'

describeAdmission('real')
