describe('a process', () => {
  it.only('runs one test alone', () => {});
  it('leaves out another', () => {});
});
