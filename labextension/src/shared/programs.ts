/** The username of programs: whoever comes with the token of the server alone, such as a kernel or a script. */
export const PROGRAM = 'owner';
