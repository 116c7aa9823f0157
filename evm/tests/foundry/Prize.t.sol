// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2 <0.9.0;

// Tests of the contract `Prize`, made by `tranquera tests` from runs that were confirmed: calls with the values
// with which they lead from state to state. After each call, whatever the state forbids has to revert, whoever calls it.
// What is refused for one reason alone shows that this reason is not forgotten.
//
// They need forge-std: put this file into `test/`, and run `forge test`.

import {Test} from "forge-std/Test.sol";
import "prize.sol";

contract PrizeTest is Test {
    Prize private subject;

    // Somebody who calls, or is named. Number 0 has nothing to do with the contract.
    function person(uint160 number) private pure returns (address payable) {
        return payable(address(0xA11CE000 + number));
    }

    // Code that takes whatever comes, and code that takes nothing.
    bytes private constant TAKES = hex"00";
    bytes private constant REFUSES = hex"60006000fd";

    // What people do from now on when they are called.
    function people(uint160 number, bytes memory code) private {
        for (uint160 i = 0; i < number; i++) {
            vm.etch(person(i), code);
        }
        vm.etch(address(uint160(0)), code);
    }

    // Covers
    //     Prize(nat, nat) -> S1
    //     S1 -decide-> S2
    //     S2 -pay-> S4
    //     S4 -collect-> S3
    function test_1_collect() public {
        people(3, TAKES);
        // 1. Prize(by = 1, msg_value = 0) -> S1 { decide }
        subject = new Prize(Judge(person(1)));
        for (uint160 i = 0; i < 3; i++) {
            vm.expectRevert();
            subject.pay();
            vm.expectRevert();
            subject.collect();
        }
        // refuses decide(who = 0, msg_sender = 2): it needs msg_sender == judge
        vm.prank(person(2));
        vm.expectRevert();
        subject.decide(payable(address(0)));
        // refuses pay(success = true): it needs step == Step.Decided
        vm.expectRevert();
        subject.pay();
        // refuses collect(success = true): it needs step == Step.Kept
        vm.expectRevert();
        subject.collect();
        // 2. decide(who = 0, msg_sender = 1) -> S2 { pay }
        vm.prank(person(1));
        subject.decide(payable(address(0)));
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.decide(payable(address(0)));
            vm.expectRevert();
            subject.collect();
        }
        // refuses decide(who = 0, msg_sender = 1): it needs step == Step.Open
        vm.prank(person(1));
        vm.expectRevert();
        subject.decide(payable(address(0)));
        // 3. pay(success = false) -> S4 { collect }
        people(2, REFUSES);
        subject.pay();
        people(2, TAKES);
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.decide(payable(address(0)));
            vm.expectRevert();
            subject.pay();
        }
        // refuses collect(success = false): it needs taken
        people(3, REFUSES);
        vm.expectRevert();
        subject.collect();
        people(3, TAKES);
        // 4. collect(success = true) -> S3 {  }
        subject.collect();
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.decide(payable(address(0)));
            vm.expectRevert();
            subject.pay();
            vm.expectRevert();
            subject.collect();
        }
    }

    // Covers
    //     S2 -pay-> S3
    function test_2_pay() public {
        people(2, TAKES);
        // 1. Prize(by = 1, msg_value = 0) -> S1 { decide }
        subject = new Prize(Judge(person(1)));
        for (uint160 i = 0; i < 2; i++) {
            vm.expectRevert();
            subject.pay();
            vm.expectRevert();
            subject.collect();
        }
        // 2. decide(who = 0, msg_sender = 1) -> S2 { pay }
        vm.prank(person(1));
        subject.decide(payable(address(0)));
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.decide(payable(address(0)));
            vm.expectRevert();
            subject.collect();
        }
        // 3. pay(success = true) -> S3 {  }
        subject.pay();
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.decide(payable(address(0)));
            vm.expectRevert();
            subject.pay();
            vm.expectRevert();
            subject.collect();
        }
    }

    function test_3_Prize_refused() public {
        people(1, TAKES);
        // refuses Prize(by = 0, msg_value = 0): it needs by != 0
        vm.expectRevert();
        subject = new Prize(Judge(payable(address(0))));
    }
}

// covered: 5 edges
// not covered: none
