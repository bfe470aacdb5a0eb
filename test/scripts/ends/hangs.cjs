describe('a process', () => {
  it('passes', () => {});
  it('never comes back', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // as deaf as a loop, at no cost to others
  });
});
