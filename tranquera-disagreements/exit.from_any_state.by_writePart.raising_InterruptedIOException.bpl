// The class PipedOutputStream.

// Calls of these leave the value on the trace (Corral's convention); they do nothing else.
procedure boogie_si_record_int(x: int);
procedure boogie_si_record_bool(x: bool);
procedure boogie_si_record_map.int.bool(x: [Ref]bool);
procedure boogie_si_record_map.int.int(x: [Ref]int);
procedure boogie_si_record_map2.int.int.int(x: [Ref, int]int);

type Exception = int;
const Exception.none: Exception;
axiom Exception.none == 0;
const Exception.NullDereference: Exception;
axiom Exception.NullDereference == 1;
const Exception.IndexOutOfRange: Exception;
axiom Exception.IndexOutOfRange == 2;
const Exception.RequiresViolation: Exception;
axiom Exception.RequiresViolation == 6;
const Exception.IOException: Exception;
axiom Exception.IOException == 7;
const Exception.NullPointerException: Exception;
axiom Exception.NullPointerException == 8;
const Exception.IndexOutOfBoundsException: Exception;
axiom Exception.IndexOutOfBoundsException == 9;
const Exception.InterruptedIOException: Exception;
axiom Exception.InterruptedIOException == 10;
const Exception.InterruptedException: Exception;
axiom Exception.InterruptedException == 11;

// Objects and arrays are numbered from 1 in the order they are made; each class, and each kind of array, by itself.
type Ref = int;
const null: Ref;
axiom null == 0;
// The length of an array, also where nothing was ever written.
function {:inline} length.of(n: int): int { if n < 0 then 0 else n }

// Integers that wrap into the range of their type.
function {:inline} wrap.u8(x: int): int { x mod 256 }

// ---- The configuration

var array.u8.length: [Ref]int;  // how long each array of u8 is
var array.u8.elements: [Ref, int]int;  // what is in it
var array.u8.alloc: int;  // arrays of u8: 1 to this
var Thread.#alloc: int;  // objects of class Thread: 1 to this
var PipedInputStream.#alloc: int;  // objects of class PipedInputStream: 1 to this
var PipedInputStream.closedByWriter: [Ref]bool;  // var closedByWriter: bool
var PipedInputStream.closedByReader: [Ref]bool;  // var closedByReader: bool
var PipedInputStream.connected: [Ref]bool;  // var connected: bool
var PipedInputStream.readSide: [Ref]Ref;  // var readSide: Thread?
var PipedInputStream.writeSide: [Ref]Ref;  // var writeSide: Thread?
var PipedInputStream.buffer: [Ref]Ref;  // var buffer: array<u8>
var PipedInputStream.in: [Ref]int;  // var in: int
var PipedInputStream.out: [Ref]int;  // var out: int
var PipedOutputStream.sink: Ref;  // var sink: PipedInputStream?

// ---- The routines

// procedure isAlive(), by its contract
procedure Thread.isAlive(this: Ref) returns (alive: bool)
{
  havoc alive;
  call {:cexpr "alive"} boogie_si_record_bool(alive);
}

// procedure currentThread(), by its contract
procedure PipedInputStream.currentThread(this: Ref) returns (current: Ref)
{
  havoc current;
  assume 0 <= current && current <= Thread.#alloc && current != null;
  call {:cexpr "current"} boogie_si_record_int(current);
}

// procedure notifyAll(), by its contract
procedure PipedInputStream.notifyAll(this: Ref)
{
}

// procedure wait(), by its contract
procedure PipedInputStream.wait(this: Ref) returns (thrown: Exception)
  modifies PipedInputStream.closedByWriter, PipedInputStream.closedByReader, PipedInputStream.readSide, PipedInputStream.in, PipedInputStream.out;
{
  var throws#: bool;
  var chosen#: bool;
  var chosen##2: bool;
  var chosen##3: Ref;
  var chosen##4: int;
  var chosen##5: int;
  var chosen##6: bool;
  var chosen##7: bool;
  var chosen##8: Ref;
  var chosen##9: int;
  var chosen##10: int;
  thrown := Exception.none;
  havoc throws#;
  call {:cexpr "throws#"} boogie_si_record_bool(throws#);
  if (throws#) {
    havoc chosen#;
    call {:cexpr "chosen#"} boogie_si_record_bool(chosen#);
    PipedInputStream.closedByWriter[this] := chosen#;
    havoc chosen##2;
    call {:cexpr "chosen##2"} boogie_si_record_bool(chosen##2);
    PipedInputStream.closedByReader[this] := chosen##2;
    havoc chosen##3;
    assume 0 <= chosen##3 && chosen##3 <= Thread.#alloc;
    call {:cexpr "chosen##3"} boogie_si_record_int(chosen##3);
    PipedInputStream.readSide[this] := chosen##3;
    havoc chosen##4;
    call {:cexpr "chosen##4"} boogie_si_record_int(chosen##4);
    PipedInputStream.in[this] := chosen##4;
    havoc chosen##5;
    call {:cexpr "chosen##5"} boogie_si_record_int(chosen##5);
    PipedInputStream.out[this] := chosen##5;
    thrown := Exception.InterruptedException;
    return;
  }
  havoc chosen##6;
  call {:cexpr "chosen##6"} boogie_si_record_bool(chosen##6);
  PipedInputStream.closedByWriter[this] := chosen##6;
  havoc chosen##7;
  call {:cexpr "chosen##7"} boogie_si_record_bool(chosen##7);
  PipedInputStream.closedByReader[this] := chosen##7;
  havoc chosen##8;
  assume 0 <= chosen##8 && chosen##8 <= Thread.#alloc;
  call {:cexpr "chosen##8"} boogie_si_record_int(chosen##8);
  PipedInputStream.readSide[this] := chosen##8;
  havoc chosen##9;
  call {:cexpr "chosen##9"} boogie_si_record_int(chosen##9);
  PipedInputStream.in[this] := chosen##9;
  havoc chosen##10;
  call {:cexpr "chosen##10"} boogie_si_record_int(chosen##10);
  PipedInputStream.out[this] := chosen##10;
}

// procedure checkStateForReceive()
procedure PipedInputStream.checkStateForReceive(this: Ref) returns (thrown: Exception)
{
  var alive: bool;
  var alive#: bool;
  thrown := Exception.none;
  havoc alive;
  call {:cexpr "alive"} boogie_si_record_bool(alive);
  if (!PipedInputStream.connected[this]) {
    thrown := Exception.IOException;
    return;
  }
  if (PipedInputStream.closedByWriter[this] || PipedInputStream.closedByReader[this]) {
    thrown := Exception.IOException;
    return;
  }
  if (PipedInputStream.readSide[this] != null) {
    if (PipedInputStream.readSide[this] == null) {
      thrown := Exception.NullDereference;
      return;
    }
    call alive# := Thread.isAlive(PipedInputStream.readSide[this]);
    alive := alive#;
    if (!alive) {
      thrown := Exception.IOException;
      return;
    }
  }
}

// procedure awaitSpace()
procedure PipedInputStream.awaitSpace(this: Ref) returns (thrown: Exception)
  modifies PipedInputStream.closedByWriter, PipedInputStream.closedByReader, PipedInputStream.readSide, PipedInputStream.in, PipedInputStream.out;
{
  thrown := Exception.none;
  while (PipedInputStream.in[this] == PipedInputStream.out[this]) {
    call thrown := PipedInputStream.checkStateForReceive(this);
    if (thrown != Exception.none) {
      return;
    }
    call PipedInputStream.notifyAll(this);
    call thrown := PipedInputStream.wait(this);
    if (thrown != Exception.none) {
      goto catch#2;
    }
  catch#2:
    if (thrown == Exception.InterruptedException) {
      thrown := Exception.none;
      thrown := Exception.InterruptedIOException;
      return;
    } else if (thrown != Exception.none) {
      return;
    }
  }
}

// procedure receive(u8)
procedure PipedInputStream.receive(this: Ref, b: int) returns (thrown: Exception)
  modifies PipedInputStream.closedByWriter, PipedInputStream.closedByReader, PipedInputStream.readSide, PipedInputStream.writeSide, PipedInputStream.in, PipedInputStream.out, array.u8.elements;
{
  var current#: Ref;
  thrown := Exception.none;
  call thrown := PipedInputStream.checkStateForReceive(this);
  if (thrown != Exception.none) {
    return;
  }
  call current# := PipedInputStream.currentThread(this);
  PipedInputStream.writeSide[this] := current#;
  if (PipedInputStream.in[this] == PipedInputStream.out[this]) {
    call thrown := PipedInputStream.awaitSpace(this);
    if (thrown != Exception.none) {
      return;
    }
  }
  if (PipedInputStream.in[this] < 0) {
    PipedInputStream.in[this] := 0;
    PipedInputStream.out[this] := 0;
  }
  if (PipedInputStream.buffer[this] == null) {
    thrown := Exception.NullDereference;
    return;
  }
  if (PipedInputStream.in[this] < 0 || PipedInputStream.in[this] >= length.of(array.u8.length[PipedInputStream.buffer[this]])) {
    thrown := Exception.IndexOutOfRange;
    return;
  }
  array.u8.elements[PipedInputStream.buffer[this], PipedInputStream.in[this]] := b;
  PipedInputStream.in[this] := PipedInputStream.in[this] + 1;
  if (PipedInputStream.buffer[this] == null) {
    thrown := Exception.NullDereference;
    return;
  }
  if (PipedInputStream.in[this] >= length.of(array.u8.length[PipedInputStream.buffer[this]])) {
    PipedInputStream.in[this] := 0;
  }
}

// procedure receivePart(array<u8>, int, int)
procedure PipedInputStream.receivePart(this: Ref, b: Ref, off: int, len: int) returns (thrown: Exception)
  modifies PipedInputStream.closedByWriter, PipedInputStream.closedByReader, PipedInputStream.readSide, PipedInputStream.writeSide, PipedInputStream.in, PipedInputStream.out, array.u8.elements;
{
  var rest: int;
  var from: int;
  var amount: int;
  var i: int;
  var current#: Ref;
  thrown := Exception.none;
  rest := len;
  from := off;
  havoc amount;
  call {:cexpr "amount"} boogie_si_record_int(amount);
  havoc i;
  call {:cexpr "i"} boogie_si_record_int(i);
  call thrown := PipedInputStream.checkStateForReceive(this);
  if (thrown != Exception.none) {
    return;
  }
  call current# := PipedInputStream.currentThread(this);
  PipedInputStream.writeSide[this] := current#;
  while (rest > 0) {
    if (PipedInputStream.in[this] == PipedInputStream.out[this]) {
      call thrown := PipedInputStream.awaitSpace(this);
      if (thrown != Exception.none) {
        return;
      }
    }
    amount := 0;
    if (PipedInputStream.out[this] < PipedInputStream.in[this]) {
      if (PipedInputStream.buffer[this] == null) {
        thrown := Exception.NullDereference;
        return;
      }
      amount := length.of(array.u8.length[PipedInputStream.buffer[this]]) - PipedInputStream.in[this];
    } else {
      if (PipedInputStream.in[this] < PipedInputStream.out[this]) {
        if (PipedInputStream.in[this] == -1) {
          PipedInputStream.in[this] := 0;
          PipedInputStream.out[this] := 0;
          if (PipedInputStream.buffer[this] == null) {
            thrown := Exception.NullDereference;
            return;
          }
          amount := length.of(array.u8.length[PipedInputStream.buffer[this]]) - PipedInputStream.in[this];
        } else {
          amount := PipedInputStream.out[this] - PipedInputStream.in[this];
        }
      }
    }
    if (amount > rest) {
      amount := rest;
    }
    i := 0;
    while (i < amount) {
      if (b == null) {
        thrown := Exception.NullDereference;
        return;
      }
      if (from + i < 0 || from + i >= length.of(array.u8.length[b])) {
        thrown := Exception.IndexOutOfRange;
        return;
      }
      if (PipedInputStream.buffer[this] == null) {
        thrown := Exception.NullDereference;
        return;
      }
      if (PipedInputStream.in[this] + i < 0 || PipedInputStream.in[this] + i >= length.of(array.u8.length[PipedInputStream.buffer[this]])) {
        thrown := Exception.IndexOutOfRange;
        return;
      }
      array.u8.elements[PipedInputStream.buffer[this], PipedInputStream.in[this] + i] := wrap.u8(array.u8.elements[b, from + i]);
      i := i + 1;
    }
    assume true;
    rest := rest - amount;
    from := from + amount;
    PipedInputStream.in[this] := PipedInputStream.in[this] + amount;
    if (PipedInputStream.buffer[this] == null) {
      thrown := Exception.NullDereference;
      return;
    }
    if (PipedInputStream.in[this] >= length.of(array.u8.length[PipedInputStream.buffer[this]])) {
      PipedInputStream.in[this] := 0;
    }
  }
}

// procedure receivedLast()
procedure PipedInputStream.receivedLast(this: Ref)
  modifies PipedInputStream.closedByWriter;
{
  PipedInputStream.closedByWriter[this] := true;
  call PipedInputStream.notifyAll(this);
}

// constructor PipedOutputStream()
procedure PipedOutputStream.new()
  modifies PipedOutputStream.sink;
{
  PipedOutputStream.sink := null;
}

// action connect(PipedInputStream?)
procedure PipedOutputStream.connect(snk: Ref) returns (thrown: Exception)
  modifies PipedInputStream.connected, PipedInputStream.in, PipedInputStream.out, PipedOutputStream.sink;
{
  thrown := Exception.none;
  if (snk == null) {
    thrown := Exception.NullPointerException;
    return;
  }
  if (PipedOutputStream.sink == null && snk == null) {
    thrown := Exception.NullDereference;
    return;
  }
  if (PipedOutputStream.sink != null || PipedInputStream.connected[snk]) {
    thrown := Exception.IOException;
    return;
  }
  PipedOutputStream.sink := snk;
  if (snk == null) {
    thrown := Exception.NullDereference;
    return;
  }
  PipedInputStream.in[snk] := -1;
  if (snk == null) {
    thrown := Exception.NullDereference;
    return;
  }
  PipedInputStream.out[snk] := 0;
  if (snk == null) {
    thrown := Exception.NullDereference;
    return;
  }
  PipedInputStream.connected[snk] := true;
}

// action write(u8)
procedure PipedOutputStream.write(b: int) returns (thrown: Exception)
  modifies PipedInputStream.closedByWriter, PipedInputStream.closedByReader, PipedInputStream.readSide, PipedInputStream.writeSide, PipedInputStream.in, PipedInputStream.out, array.u8.elements;
{
  thrown := Exception.none;
  if (PipedOutputStream.sink == null) {
    thrown := Exception.IOException;
    return;
  }
  if (PipedOutputStream.sink == null) {
    thrown := Exception.NullDereference;
    return;
  }
  if (!(b >= 0 && b <= 255)) {
    thrown := Exception.RequiresViolation;
    return;
  }
  call thrown := PipedInputStream.receive(PipedOutputStream.sink, b);
  if (thrown != Exception.none) {
    return;
  }
}

// action writePart(array<u8>?, int, int)
procedure PipedOutputStream.writePart(b: Ref, off: int, len: int) returns (thrown: Exception)
  modifies PipedInputStream.closedByWriter, PipedInputStream.closedByReader, PipedInputStream.readSide, PipedInputStream.writeSide, PipedInputStream.in, PipedInputStream.out, array.u8.elements;
{
  thrown := Exception.none;
  if (PipedOutputStream.sink == null) {
    thrown := Exception.IOException;
    return;
  }
  if (b == null) {
    thrown := Exception.NullPointerException;
    return;
  }
  if (off >= 0 && b == null) {
    thrown := Exception.NullDereference;
    return;
  }
  if (!(off < 0 || off > length.of(array.u8.length[b]) || len < 0) && b == null) {
    thrown := Exception.NullDereference;
    return;
  }
  if (off < 0 || off > length.of(array.u8.length[b]) || len < 0 || off + len > length.of(array.u8.length[b])) {
    thrown := Exception.IndexOutOfBoundsException;
    return;
  }
  if (len == 0) {
    return;
  }
  if (PipedOutputStream.sink == null) {
    thrown := Exception.NullDereference;
    return;
  }
  if (b == null) {
    thrown := Exception.RequiresViolation;
    return;
  }
  call thrown := PipedInputStream.receivePart(PipedOutputStream.sink, b, off, len);
  if (thrown != Exception.none) {
    return;
  }
}

// action flush()
procedure PipedOutputStream.flush() returns (thrown: Exception)
{
  thrown := Exception.none;
  if (PipedOutputStream.sink != null) {
    if (PipedOutputStream.sink == null) {
      thrown := Exception.NullDereference;
      return;
    }
    call PipedInputStream.notifyAll(PipedOutputStream.sink);
  }
}

// action close()
procedure PipedOutputStream.close() returns (thrown: Exception)
  modifies PipedInputStream.closedByWriter;
{
  thrown := Exception.none;
  if (PipedOutputStream.sink != null) {
    if (PipedOutputStream.sink == null) {
      thrown := Exception.NullDereference;
      return;
    }
    call PipedInputStream.receivedLast(PipedOutputStream.sink);
  }
}

// can `writePart`, called in any state, raise InterruptedIOException?
procedure {:entrypoint} exit.from_any_state.by_writePart.raising_InterruptedIOException()
  modifies PipedInputStream.closedByWriter, PipedInputStream.closedByReader, PipedInputStream.readSide, PipedInputStream.writeSide, PipedInputStream.in, PipedInputStream.out, array.u8.elements;
{
  var b: Ref;
  var off: int;
  var len: int;
  var thrown: Exception;

  // any configuration: its values are of their types
  assume 0 <= array.u8.alloc;
  assume 0 <= Thread.#alloc;
  assume 0 <= PipedInputStream.#alloc;
  assume 0 <= PipedOutputStream.sink;
  assume PipedOutputStream.sink <= PipedInputStream.#alloc;
  // the invariant holds
  assume (forall object#2: Ref :: 0 < object#2 && object#2 <= PipedInputStream.#alloc ==> PipedInputStream.buffer[object#2] != null);
  // what the call requires
  assume 0 <= b;
  assume b <= array.u8.alloc;
  // onto the trace: the values here
  call {:cexpr "sink"} boogie_si_record_int(PipedOutputStream.sink);
  call {:cexpr "Thread.#alloc"} boogie_si_record_int(Thread.#alloc);
  call {:cexpr "PipedInputStream.#alloc"} boogie_si_record_int(PipedInputStream.#alloc);
  call {:cexpr "PipedInputStream.closedByWriter"} boogie_si_record_map.int.bool(PipedInputStream.closedByWriter);
  call {:cexpr "PipedInputStream.closedByReader"} boogie_si_record_map.int.bool(PipedInputStream.closedByReader);
  call {:cexpr "PipedInputStream.connected"} boogie_si_record_map.int.bool(PipedInputStream.connected);
  call {:cexpr "PipedInputStream.readSide"} boogie_si_record_map.int.int(PipedInputStream.readSide);
  call {:cexpr "PipedInputStream.writeSide"} boogie_si_record_map.int.int(PipedInputStream.writeSide);
  call {:cexpr "PipedInputStream.buffer"} boogie_si_record_map.int.int(PipedInputStream.buffer);
  call {:cexpr "PipedInputStream.in"} boogie_si_record_map.int.int(PipedInputStream.in);
  call {:cexpr "PipedInputStream.out"} boogie_si_record_map.int.int(PipedInputStream.out);
  call {:cexpr "array.u8.alloc"} boogie_si_record_int(array.u8.alloc);
  call {:cexpr "array.u8.length"} boogie_si_record_map.int.int(array.u8.length);
  call {:cexpr "array.u8.elements"} boogie_si_record_map2.int.int.int(array.u8.elements);
  call {:cexpr "b"} boogie_si_record_int(b);
  call {:cexpr "off"} boogie_si_record_int(off);
  call {:cexpr "len"} boogie_si_record_int(len);
  // the call
  call thrown := PipedOutputStream.writePart(b, off, len);
  // how it ends
  assume thrown == Exception.InterruptedIOException;
  // onto the trace: the values here
  call {:cexpr "sink"} boogie_si_record_int(PipedOutputStream.sink);
  assert {:reached} false;
}
